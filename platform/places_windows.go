package platform

import "os"

func defaultBase() string { return os.TempDir() }
