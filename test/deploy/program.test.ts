// The bundle of the server and the command line in `program`.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { PACKAGE_FOLDER, PROGRAMS } from '../../events/program-files.js'
import { program, startServer, temporaryFolder } from '../support/process.js'

const bundle = join(PACKAGE_FOLDER, 'program')

for (const path of Object.values(PROGRAMS))
  test(`${path} is in the build and in the bundle, with a source map`, t => {
    t.true(existsSync(join(PACKAGE_FOLDER, 'dist', path)))
    t.true(existsSync(join(bundle, path)))
    const map: { readonly sources: readonly string[] } = JSON.parse(
      readFileSync(join(bundle, `${path}.map`), 'utf8')
    )
    t.true(map.sources.some(source => source.endsWith(path.replace(/\.js$/, '.ts'))))
  })

/** Returns the kilobytes of the bundle that a command loads. */
async function loadedBy(t: ExecutionContext, ...command: readonly string[]): Promise<number> {
  const folder = temporaryFolder(t)
  // The coverage of V8 lists the loaded scripts.
  const env = { ...process.env, NODE_V8_COVERAGE: folder }
  await promisify(execFile)(process.execPath, [program, ...command], { env })
  const loaded = new Set<string>()
  for (const file of readdirSync(folder)) {
    const { result }: { readonly result: readonly { readonly url: string }[] } = JSON.parse(
      readFileSync(join(folder, file), 'utf8')
    )
    for (const { url } of result)
      if (url.startsWith('file:') && fileURLToPath(url).startsWith(bundle)) loaded.add(fileURLToPath(url))
  }
  return [...loaded].reduce((sum, path) => sum + statSync(path).size, 0) / 1000
}

test('a command loads only the part of the bundle that it uses', async t => {
  const server = await startServer(t, { acl: 'allow' })
  const help = await loadedBy(t, '--help')
  const get = await loadedBy(t, 'kv', 'put', `-http-addr=${server.base}`, 'a', '1')
  await server.stop()
  t.log({ help, get })
  t.true(help > 50 && help < 200)
  t.true(get > help && get < 500)
})
