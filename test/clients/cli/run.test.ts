import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { parse } from 'yaml'
import type { Commit } from '../../../events/envelope.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { run } from '../../../server/commands/run.js'
import { keys } from '../../../server/settings/keys.js'
import { tokenFixture } from '../../actors/acl-resources.js'
import { annals } from '../../support/command-line.js'
import { fileScope } from '../../support/file-scope.js'
import { temporaryFolder } from '../../support/process.js'
import { until } from '../../support/wait.js'

const SECRET = 'b6e29626-e23d-98b4-e19f-c71a96fbdef7'
const folder = temporaryFolder(fileScope(test, 'the folder of the configurations'))

let folders = 0
const newFolder = (): string => join(folder, `data-${folders++}`)

const commit = (index: number, topic = 'ACLToken'): Commit => ({
  Index: index,
  Time: `2026-01-01T00:00:0${index}Z`,
  By: {
    AccessorID: index === 1 ? '' : 'acc-1',
    Address: index === 1 ? '' : '192.0.2.1',
    RequestID: `r${index}`,
    Command: 'CreateToken'
  },
  Events: [
    {
      Topic: topic,
      Type: `${topic}Upserted`,
      Key: `key-${index}`,
      Namespace: index === 3 ? 'team' : '',
      Partition: 'default',
      FilterKeys: null,
      Payload: { n: index, text: '\u001b[31m' },
      Secrets: { SecretID: SECRET }
    }
  ]
})

/** A commit that a server could have written: `verify` replays the log. */
const tokenCommit = (index: number): Commit => ({
  ...commit(index),
  Events: [
    tokenFixture(`key-${index}`, SECRET, {
      CreateTime: '2026-01-01T00:00:00Z',
      CreateIndex: index,
      ModifyIndex: index
    })
  ]
})

const openLog = (data: string, key?: Buffer): Promise<SegmentEventLog> =>
  SegmentEventLog.open({ path: join(data, 'log'), key })

const written = async (commits: readonly Commit[], key?: Buffer): Promise<string> => {
  const data = newFolder()
  const log = await openLog(data, key)
  await log.append(commits)
  await log.close()
  return data
}

test('show prints who did what, and never a secret', async t => {
  const data = await written([commit(1), commit(2, 'ACLPolicy'), commit(3)])
  const { code, output } = await annals(['log', 'show', '--data-dir', data])
  t.is(code, 0)
  t.is(
    output,
    `1  2026-01-01T00:00:01Z  CreateToken by the server, request r1
    ACLToken ACLTokenUpserted  key-1
2  2026-01-01T00:00:02Z  CreateToken by token acc-1 from 192.0.2.1, request r2
    ACLPolicy ACLPolicyUpserted  key-2
3  2026-01-01T00:00:03Z  CreateToken by token acc-1 from 192.0.2.1, request r3
    ACLToken ACLTokenUpserted  team/key-3
`
  )
})

test('show and export tell why', async t => {
  const asked = { ...commit(2), By: { ...commit(2).By, Reason: 'it was "due"\u009b', Cause: 1 } }
  const ended = { ...commit(3), By: { ...commit(3).By, Cause: [1, 2] } }
  const data = await written([commit(1), asked, ended])
  const { output } = await annals(['log', 'show', '--data-dir', data])
  t.true(output.includes(', request r2, reason "it was \\"due\\"\\u009b", after 1\n'))
  t.true(output.includes(', request r3, after 1 and 2\n'))
  const { output: lines } = await annals(['log', 'export', '--data-dir', data])
  const [, , second = '', third = ''] = lines.split('\n')
  t.deepEqual([JSON.parse(second).By, JSON.parse(third).By], [asked.By, ended.By])
})

test('show selects by index, topic and key', async t => {
  const data = await written([commit(1), commit(2, 'ACLPolicy'), commit(3), commit(4)])
  const indexes = async (...args: readonly string[]) => {
    const { output } = await annals(['log', 'show', '--json', '--data-dir', data, ...args])
    return output
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line).Index)
  }
  t.deepEqual(await indexes('--from', '2', '--to', '3'), [2, 3])
  t.deepEqual(await indexes('--topic', 'acltoken'), [1, 3, 4])
  t.deepEqual(await indexes('--key', 'key-2'), [2])
  t.deepEqual(await indexes('--topic', 'ACLToken', '--key', 'key-2'), [])
  t.deepEqual(await indexes('--from', '9'), [])
})

test('show prints YAML, and with --watch the new commits, too', async t => {
  const data = await written([commit(1)])
  const { output } = await annals(['log', 'show', '-o', 'yaml', '--data-dir', data])
  t.like(parse(output), [{ Index: 1, Events: [{ Topic: 'ACLToken', Key: 'key-1' }] }])
  const [out, err] = [new PassThrough(), new PassThrough()]
  let shown = ''
  out.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  const args = ['log', 'show', '--watch', '--data-dir', data]
  const ended = run(args, { env: {}, in: Readable.from(['']), out, err })
  await until('the first commit is shown', () => shown.includes('key-1'))
  const log = await openLog(data)
  await log.append([commit(2)])
  await log.close()
  await until('the second commit is shown', () => shown.includes('key-2'))
  process.emit('SIGINT')
  t.is(await ended, 0)
})

test('export writes messages of the stream with time and origin, and no secret', async t => {
  const data = await written([commit(1), commit(2)])
  const { code, output } = await annals(['log', 'export', '--data-dir', data])
  t.is(code, 0)
  t.false(output.includes(SECRET))
  const [, first, second, , ...rest] = output.split('\n')
  t.deepEqual(rest, [''])
  t.is(JSON.parse(first ?? '').Index, 1)
  const { Secrets: _, Partition: __, ...event } = commit(2).Events[0] ?? {}
  t.deepEqual(JSON.parse(second ?? ''), { ...commit(2), Events: [{ ...event, Index: 2 }] })
})

test('verify prints the index and hash of the newest commit', async t => {
  const data = await written([tokenCommit(1), tokenCommit(2)])
  const { code, output } = await annals(['log', 'verify'], { ANNALS_DATA_DIR: data })
  t.is(code, 0)
  t.regex(output, /^head index 2\nhead hash [0-9a-f]{64}\nthe records hold: .*\nthe chain holds/)
})

test('verify opens encrypted secrets with the key of the configuration, and says so where there is none', async t => {
  const key = Buffer.alloc(32, 5)
  const data = await written([tokenCommit(1)], key)
  const config = join(folder, 'encrypted.json')
  writeFileSync(config, JSON.stringify({ data_dir: data, encryption: { key: key.toString('base64') } }))
  const opened = await annals(['log', 'verify', '--config', config])
  t.is(opened.code, 0, opened.errors)
  t.notRegex(opened.output, /not opened/)
  const without = await annals(['log', 'verify', '--data-dir', data])
  t.is(without.code, 0, without.errors)
  t.regex(without.output, /the chain holds.*\nsecrets not opened/)
  const shown = await annals(['log', 'show', '--data-dir', data])
  t.is(shown.code, 0, shown.errors)
  const refused = await annals(['log', 'verify', '--replay', '--data-dir', data])
  t.is(refused.code, 1)
  t.regex(refused.errors, /^annals: .*key.*\n$/)
})

test('a log can be read by another process while it is written', async t => {
  const data = newFolder()
  const log = await openLog(data)
  t.teardown(() => log.close())
  await log.append([commit(1)])
  const child = spawn(process.execPath, ['program/server/main.js', 'log', 'show', '--data-dir', data], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  t.is(code, 0)
  t.regex(output, /^1 {2}2026/)
})

test('an error is one line that says what to do, with exit code 1', async t => {
  const data = newFolder()
  const none = await annals(['log', 'show', '--data-dir', data])
  t.is(none.code, 1)
  t.is(none.errors, `annals: there is no log in ${data}: no server has run there (see --data-dir)\n`)
  const setting = await annals(['serve', '--http-port', 'many'])
  t.is(setting.code, 1)
  t.is(
    setting.errors,
    'annals: ports.http, given by flag --http-port, must be a whole number from -1 to 65535; it is "many"\n'
  )
  const file = await annals(['log', 'verify', '--config', join(folder, 'missing.json')])
  t.regex(file.errors, /^annals: configuration file .*missing\.json cannot be read: ENOENT\n$/)
  const flag = await annals(['serve', '--data-dri', 'x'])
  t.is(flag.code, 1)
  t.is(
    flag.errors,
    "annals: unknown option '--data-dri'\n(Did you mean --data-dir?)\nSee: annals serve --help\n"
  )
  const index = await annals(['log', 'show', '--from', 'zero'])
  t.regex(index.errors, /It is an index, a time such as/)
  t.is((await annals(['sevre'])).code, 1)
})

test('help teaches: examples, where data is, and every key of the configuration', async t => {
  const program = await annals(['--help'])
  t.is(program.code, 0)
  for (const part of ['annals serve', 'annals log verify', 'DATA_DIR/log', 'bootstrap'])
    t.true(program.output.includes(part), part)
  const serve = await annals(['serve', '--help'])
  for (const key of keys) t.true(serve.output.includes(key.env), key.path)
  for (const command of ['show', 'export', 'verify']) {
    const { output } = await annals(['log', command, '--help'])
    t.regex(output, /--config <file>[^]*--data-dir <folder>/)
  }
  t.is((await annals(['help', 'log'])).code, 0)
})

test('help lists commands by their first sentence, and wraps each description as a paragraph', async t => {
  const all = await annals(['log', '--help'])
  t.regex(all.output, /verify \[options\] +Verify the log, and print the result of each\n +check\.\n {2}\S/)
  const verify = await annals(['log', 'verify', '--help'])
  t.regex(verify.output, /hash chain, and the Merkle tree\. They/)
  const debug = await annals(['debug', '--help'])
  t.regex(debug.output, /Parts:\n {2}agent .*\n {2}configuration /)
})

test('each subcommand of the log and the cluster has its own examples', async t => {
  for (const group of ['log', 'cluster', 'evidence', 'audit']) {
    const { output } = await annals([group, '--help'])
    const [, list = ''] = /^Commands:\n([^]*?)\n\n/m.exec(output) ?? []
    const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name)
    t.true(names.length > 1, group)
    for (const name of names.filter(each => each !== 'help')) {
      const help = await annals([group, name, '--help'])
      t.regex(help.output, new RegExp(`\nExamples:\n {2}annals ${group} ${name}`))
    }
  }
})

test('without a command the help is shown, and version prints the version', async t => {
  t.regex((await annals([])).errors, /Usage: annals/)
  t.regex((await annals(['version'])).output, /^annals \d+\.\d+\.\d+ \(node v\d+/)
})

test('a reader that goes away ends the command quietly', async t => {
  const data = await written(Array.from({ length: 9 }, (_, index) => commit(index + 1)))
  const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  const out = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => done(gone) })
  const err = new PassThrough()
  t.is(await run(['log', 'show', '--data-dir', data], { env: {}, in: Readable.from([]), out, err }), 0)
  t.is(err.read(), null)
})

test('a flag of a true-or-false key may stand alone', async t => {
  const { errors } = await annals(['serve', '--log-pretty', '--compat', 'perhaps'])
  t.is(errors, 'annals: compat, given by flag --compat, must be true or false; it is "perhaps"\n')
})

test('show tells a client whose token was not looked at from the server', async t => {
  const bootstrap = commit(1)
  const data = await written([{ ...bootstrap, By: { ...bootstrap.By, Address: '192.0.2.1' } }])
  const { output } = await annals(['log', 'show', '--data-dir', data])
  t.regex(output, /^1 {2}\S+ {2}CreateToken without a token from 192\.0\.2\.1, request r1\n/)
})

test('--version says the same as version', async t => {
  const { code, output } = await annals(['--version'])
  t.is(code, 0)
  t.regex(output, /^annals \d+\.\d+\.\d+ \(node v/)
  t.deepEqual((await annals(['version'])).output, output)
})
