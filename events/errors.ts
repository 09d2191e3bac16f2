// What is asked of anything that was thrown.

/** What an error says. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whether an error is one of the system or of Node with this code, such as ENOENT. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
