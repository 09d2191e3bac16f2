// A web server of the files of a folder, as one in front of a published log would be.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scope } from './process.js'

/** Serves a folder until the scope ends. @returns the base address */
export const staticFiles = async (t: Scope, folder: string): Promise<string> => {
  const server = createServer((request, response) => {
    readFile(join(folder, new URL(request.url ?? '', 'http://localhost').pathname)).then(
      bytes => response.end(bytes),
      () => response.writeHead(404).end()
    )
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
