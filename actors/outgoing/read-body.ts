export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/** Reads the body of a response. @throws BodyTooLarge above the limit, without reading the rest */
export async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new BodyTooLarge(`the answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
