/** Returns undefined if the server answers 404. */
export const undefinedIfMissing = async <Value>(reading: Promise<Value>): Promise<Value | undefined> => {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return undefined
    throw error
  }
}
