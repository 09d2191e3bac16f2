// The body of an answer, read as far as is bearable.

/** @throws Error when it has more bytes than that; what is left of it is not read then */
export async function readBody(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > most) throw new Error(`the answer has more than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
