// Reads of what may not exist.

/** What was read; undefined where the server says that there is no such thing. */
export const undefinedIfMissing = async <Value>(reading: Promise<Value>): Promise<Value | undefined> => {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return undefined
    throw error
  }
}
