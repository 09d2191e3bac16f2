// Generates the types of the API, which the clients use, from its description, if that has changed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openApiText } from '../dist/server/commands/openapi.js'

const root = dirname(import.meta.dirname)
const folder = join(root, 'dist/api')
const [description, types] = [join(folder, 'openapi.json'), join(folder, 'paths.d.ts')]
/** In the workspace that has the TypeScript that it needs. */
const generator = join(root, 'generated-client/node_modules/openapi-typescript/bin/cli.js')

const text = openApiText()
if (!existsSync(types) || !existsSync(description) || readFileSync(description, 'utf8') !== text) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(description, text)
  const { status } = spawnSync(process.execPath, [generator, description, '--output', types], {
    stdio: ['ignore', 2, 2]
  })
  process.exitCode = status ?? 1
}
