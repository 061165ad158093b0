/* Wine 8 has no bcryptprimitives.dll. Go takes this one function from it. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{
	return RtlGenRandom(data, (ULONG)length);
}
