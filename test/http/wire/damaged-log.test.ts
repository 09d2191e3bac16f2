// A read that needs a damaged part of the log says so.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../support/process.js'
import { serverInProcess } from '../../support/server.js'

test('given a damaged commit, then its history is refused with a code, and other reads are answered', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  for (const body of ['ada-lovelace', 'other']) await server.send('PUT', '/v1/kv/web', { body })
  await server.app.committer.durable()
  const log = join(dataDir, 'log')
  const value = Buffer.from(Buffer.from('ada-lovelace').toString('base64'))
  const damaged = readdirSync(log)
    .filter(name => name.endsWith('.seg'))
    .map(name => ({ path: join(log, name), content: readFileSync(join(log, name)) }))
    .filter(({ content }) => content.includes(value))
  t.is(damaged.length, 1)
  for (const { path, content } of damaged) {
    content.writeUInt8(0x41, content.indexOf(value))
    writeFileSync(path, content)
  }
  const { status, headers, text } = await server.send('GET', '/v1/history/kv/web')
  t.is(status, 500)
  t.is(headers['x-service-error-code'], 'log.damaged')
  t.regex(text, /a file of the log is damaged/)
  t.is((await server.send('GET', '/v1/kv/web?raw')).text, 'other')
})
