// Bodies compressed for those who ask for it (RFC 9110 §12.5.3; spec: state.md §1).
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import Negotiator from 'negotiator'

export type Coding = 'gzip' | 'zstd'

/** Smaller bodies are not worth it. */
const LEAST_BYTES = 1400

/** Node has zstd from 22.15 on. */
const CODINGS: readonly Coding[] = 'createZstdCompress' in zlib ? ['zstd', 'gzip'] : ['gzip']

/** Which of the codings a client with this Accept-Encoding prefers to a body as it is; undefined for none. */
export const codingFor = (acceptEncoding: string | undefined): Coding | undefined => {
  if (acceptEncoding === undefined) return undefined
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const preferred = negotiator.encoding([...CODINGS, 'identity'])
  return CODINGS.find(coding => coding === preferred)
}

/** How a body of this size goes to a client with this Accept-Encoding; undefined for as it is. */
export const bodyCodingFor = (acceptEncoding: string | undefined, bytes: number): Coding | undefined =>
  bytes < LEAST_BYTES ? undefined : codingFor(acceptEncoding)

const gzip = promisify(zlib.gzip)

/** Compresses off the main thread. */
export const compressed = (body: string | Buffer, coding: Coding): Promise<Buffer> =>
  coding === 'gzip' ? gzip(body) : promisify(zlib.zstdCompress)(body)
