// What went wrong, in words.

/** Those of the server where it refuses: they name the missing right. */
export const failureOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
