// The documentation as a site: VitePress builds it, and ends with an error for a link to a page that it does not have.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { projectRoot, temporaryFolder } from '../support/process.js'
import { skip } from '../support/programs.js'

const run = promisify(execFile)
const docs = join(projectRoot, 'docs')
const vitepress = join(docs, 'node_modules/vitepress/bin/vitepress.js')

/** Installs what `npm run site` installs. Returns false without a registry. */
const hasVitePress = async (): Promise<boolean> => {
  if (!existsSync(vitepress))
    await run('npm', [
      'install',
      '--prefix',
      docs,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--loglevel=error'
    ]).catch(() => undefined)
  return existsSync(vitepress)
}

test('the site has all pages, those of the API, of commands and of the project included', async t => {
  if (!(await hasVitePress())) {
    skip(t, 'vitepress cannot be installed')
    return
  }
  const out = join(temporaryFolder(t), 'site')
  await run(process.execPath, [vitepress, 'build', docs, '--outDir', out], { maxBuffer: 2 ** 24 })
  const page = (path: string): string => readFileSync(join(out, `${path}.html`), 'utf8')
  t.regex(page('tutorials/first-server'), /how-to\/install\.html/)
  t.regex(page('api/kv'), /\/v1\/kv\//)
  t.regex(page('cli/kv'), /annals kv put/)
  t.regex(page('project/readme'), /<img src="\/docs\/assets\/events\.[^"]+\.png"/)
  t.regex(page('project/changelog'), /0\.1\.0/)
  // Sources are not on the site, so that links to them are text.
  t.notRegex(page('project/contributing'), /href="[^"]*events\/README/)
})
