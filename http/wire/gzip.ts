// Bodies compressed for those who ask for it (spec: state.md §1).
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Smaller bodies are not worth it. */
const LEAST_BYTES = 1400

const compress = promisify(gzip)

const offersGzip = (acceptEncoding: string): boolean =>
  acceptEncoding.split(',').some(part => {
    const [coding = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    return coding === 'gzip' && !parameters.some(text => /^q=0(\.0*)?$/.test(text))
  })

/** Whether a body of this size goes compressed to a client with this Accept-Encoding. */
export const wantsGzip = (acceptEncoding: string | undefined, bytes: number): boolean =>
  bytes >= LEAST_BYTES && acceptEncoding !== undefined && offersGzip(acceptEncoding)

/** Off the main thread. */
export const gzipped = (body: string | Buffer): Promise<Buffer> => compress(body)
