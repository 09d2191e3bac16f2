// Evidence of a real log, checked by the library of Go's checksum database.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import test from 'ava'
import { buildChecker, missingSumdb } from '../../../support/go.js'
import { auditedServer } from './support.js'

const run = promisify(execFile)

test('the checkpoint, inclusion and consistency of a real log hold for golang.org/x/mod/sumdb', async t => {
  if (await missingSumdb(t)) return
  const checker = await buildChecker(t, 'note-checker')
  const { server, log, vkey, kept, keptSize, newest } = await auditedServer(t)
  const { output } = await log('export', '--evidence', '--from', '2', '--checkpoint', kept)
  const [header, ...lines] = output
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const size = header.Consistency[0].To
  const get = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse((await server.send('GET', `/v1/event/${path}`)).text)
  const answered = await Promise.all(
    [1, 2, keptSize, size].map(async Index => ({
      ...(await get(`leaf?index=${Index}`)),
      ...(await get(`proof/inclusion?index=${Index}&size=${size}`))
    }))
  )
  const commits = [...lines.slice(0, -1), ...answered]
  const input = {
    Key: vkey,
    Older: readFileSync(kept, 'utf8'),
    Newer: newest(),
    Inclusions: commits,
    Consistency: await get(`proof/consistency?from=${keptSize}&to=${size}`)
  }
  t.deepEqual(input.Consistency, header.Consistency[0])
  t.true(commits.length > 9)
  t.is(header.Checkpoint, input.Newer)
  const check = (changed: object): Promise<{ readonly stdout: string }> => {
    const running = run(checker)
    running.child.stdin?.end(JSON.stringify({ ...input, ...changed }))
    return running
  }
  const { stdout } = await check({})
  t.is(
    stdout,
    `${commits.length} commits are in the tree of ${size}, which begins with that of ${keptSize}\n`
  )
  // It looks.
  const [first, second] = commits
  await t.throwsAsync(check({ Newer: input.Newer.replace(`\n${size}\n`, `\n${size - 1}\n`) }), {
    message: /note/
  })
  await t.throwsAsync(check({ Inclusions: [{ ...first, Leaf: second.Leaf }] }), { message: /inclusion of 2/ })
  await t.throwsAsync(check({ Consistency: { ...input.Consistency, Hashes: [] } }), {
    message: /consistency/
  })
})
