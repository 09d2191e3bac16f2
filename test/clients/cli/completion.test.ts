// The completion of each shell, asked for in the shell itself.
import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { annals } from '../../support/command-line.js'
import { program, temporaryFolder } from '../../support/process.js'
import { missing } from '../../support/programs.js'

const run = promisify(execFile)

/** What a shell prints that has read its script, with `annals` on its path. */
const inShell = async (t: ExecutionContext, shell: string, line: string): Promise<readonly string[]> => {
  const folder = temporaryFolder(t)
  const { output } = await annals(['completion', shell])
  writeFileSync(join(folder, 'script'), output)
  writeFileSync(join(folder, 'annals'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(folder, 'annals'), 0o755)
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder }
  const { stdout } = await run(shell, ['-c', line.replaceAll('SCRIPT', join(folder, 'script'))], {
    env,
    cwd: folder
  })
  return stdout.split('\n').filter(each => each !== '')
}

test('bash completes commands, flags and values', async t => {
  const complete = (...words: readonly string[]) =>
    inShell(
      t,
      'bash',
      `source SCRIPT; COMP_WORDS=(annals ${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _annals; printf '%s\\n' "\${COMPREPLY[@]}"`
    )
  t.deepEqual(await complete('kv', 'ge'), ['get'])
  t.deepEqual(await complete('kv', 'get', '-rec'), ['-recurse'])
  t.deepEqual(await complete('auth-method', 'create', '--type', ''), ['jwt', 'kubernetes', 'oidc'])
  t.deepEqual(await complete('policy', 'create', '-rules', '@'), [])
})

test('zsh completes, with what each is for', async t => {
  if (await missing(t, 'zsh')) return
  const shown = await inShell(
    t,
    'zsh',
    'compdef() { print -- "$@" }; _describe() { print -l -- ${(P)2} }; source SCRIPT; words=(annals kv ge); CURRENT=3; _annals'
  )
  t.deepEqual(shown, ['_annals annals', 'get:Print the value of a key, or all keys with a prefix.'])
})

test('fish completes, and offers files where nothing is known', async t => {
  if (await missing(t, 'fish')) return
  const complete = (line: string) => inShell(t, 'fish', `source SCRIPT; complete -C '${line}'`)
  t.deepEqual(await complete('annals kv ge'), ['get\tPrint the value of a key, or all keys with a prefix.'])
  t.deepEqual(await complete('annals policy create --rules scr'), ['script'])
})
