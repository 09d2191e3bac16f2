// Recorded cases that need endpoints which do not exist yet, by area. A case that passes must be taken out of here.

export const awaited: Readonly<Record<string, readonly string[]>> = {}
