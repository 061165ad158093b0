// The editor runs this with Node, without an extension host, after the extension
// was uninstalled: package.json names it.
import { homedir } from 'node:os';
import path from 'node:path';
import { rootOf } from './place';
import { uninstall } from './uninstall';

void uninstall(path.dirname(__dirname), rootOf(process.platform, homedir(), process.env), homedir());
