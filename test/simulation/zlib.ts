// In place of `node:zlib`: streams compress what they were given when it has ended, in no virtual time.
import { Transform } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'

export * from 'node:zlib'
export { default } from 'node:zlib'

const stream = (convert: (data: Buffer) => Buffer) => (): Transform => {
  const pieces: Buffer[] = []
  return new Transform({
    transform(piece: Buffer, _, done) {
      pieces.push(piece)
      done()
    },
    flush(done) {
      try {
        done(null, convert(Buffer.concat(pieces)))
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    }
  })
}

export const createGzip = stream(gzipSync)
export const createGunzip = stream(gunzipSync)
