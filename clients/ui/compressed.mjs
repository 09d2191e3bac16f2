// Writes beside what Vite builds the same compressed, for the server to send as it is.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const best = {
  gz: text => promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION }),
  br: text => promisify(brotliCompress)(text)
}

/** @type {import('vite').Plugin} */
export const compressed = {
  name: 'compressed',
  apply: 'build',
  async writeBundle({ dir }, bundle) {
    const files = Object.values(bundle).map(file => ({
      path: join(dir, file.fileName),
      content: Buffer.from(file.type === 'chunk' ? file.code : file.source)
    }))
    await Promise.all(
      files.flatMap(({ path, content }) =>
        Object.entries(best).map(async ([ending, compress]) => {
          const smaller = await compress(content)
          if (smaller.length < content.length) await writeFile(`${path}.${ending}`, smaller)
        })
      )
    )
  }
}
