// Helpers for thrown values.

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Detects errors of the system or of Node by a code such as ENOENT. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
