// Response compression (RFC 9110 §12.5.3; spec: state.md §1).
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import Negotiator from 'negotiator'

export type Coding = 'gzip' | 'zstd'

/** Smaller bodies are not compressed. */
const LEAST_BYTES = 1400

/** Node has zstd from 22.15 on. */
const CODINGS: readonly Coding[] = 'createZstdCompress' in zlib ? ['zstd', 'gzip'] : ['gzip']

/** Returns the preferred coding of an Accept-Encoding; undefined for identity. */
export const codingFor = (acceptEncoding: string | undefined): Coding | undefined => {
  if (acceptEncoding === undefined) return undefined
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const preferred = negotiator.encoding([...CODINGS, 'identity'])
  return CODINGS.find(coding => coding === preferred)
}

/** Returns the coding of a body of this size; undefined for identity. */
export const bodyCodingFor = (acceptEncoding: string | undefined, bytes: number): Coding | undefined =>
  bytes < LEAST_BYTES ? undefined : codingFor(acceptEncoding)

const gzip = promisify(zlib.gzip)

/** Compresses on a thread pool. */
export const compressed = (body: string | Buffer, coding: Coding): Promise<Buffer> =>
  coding === 'gzip' ? gzip(body) : promisify(zlib.zstdCompress)(body)
