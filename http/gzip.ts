// Bodies compressed for those who ask for it (spec: state.md §1).
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Smaller bodies, in bytes, are not worth it. */
export const LEAST_GZIPPED = 1400

const compress = promisify(gzip)

/** Whether an Accept-Encoding takes gzip. */
export const offersGzip = (acceptEncoding = ''): boolean =>
  acceptEncoding.split(',').some(part => {
    const [coding = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    return coding === 'gzip' && !parameters.some(text => /^q=0(\.0*)?$/.test(text))
  })

/** Off the main thread. */
export const gzipped = (body: string | Buffer): Promise<Buffer> => compress(body)
