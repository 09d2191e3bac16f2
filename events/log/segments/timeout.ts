// A limit on how long the disk may take.

/**
 * Settles as `work` does, or rejects when that takes longer than `ms`. The work goes on, and what becomes of it is told to nobody.
 * @throws Error
 */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the disk has not answered within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
