// Signed checkpoints beside the log that the disk has changed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { annals } from '../support/command-line.js'
import { temporaryFolder } from '../support/process.js'
import { serverInProcess } from '../support/server.js'
import { until } from '../support/wait.js'

/** The data folder of a server that has ended, and its newest checkpoint. */
const signed = async (t: ExecutionContext): Promise<{ readonly dataDir: string; readonly file: string }> => {
  const dataDir = join(temporaryFolder(t), 'data')
  const server = await serverInProcess(t, { dataDir })
  await server.send('PUT', '/v1/kv/a', { body: '1' })
  await server.send('GET', '/v1/event/checkpoint')
  await server.send('PUT', '/v1/kv/a', { body: '2' })
  await server.close()
  const tree = join(dataDir, 'log/tree')
  const file = readdirSync(tree)
    .filter(name => name.endsWith('.checkpoint'))
    .toSorted()
    .at(-1)
  return { dataDir, file: join(tree, file ?? '') }
}

const damages: Readonly<Record<string, (text: string) => string>> = {
  'another root': text =>
    text.replace(/\n(\d+)\n(.)/, (_all, size, first) => `\n${size}\n${first === 'A' ? 'B' : 'A'}`),
  'no text': () => '\0\0\0',
  'half of it': text => text.slice(0, text.length / 2),
  'another signature': text => {
    const at = text.length - 20
    return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
  }
}

for (const [damage, change] of Object.entries(damages))
  test(`a state digest that is damaged (${damage}) is skipped, reported and replaced`, async t => {
    const { dataDir, file } = await signed(t)
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    const server = await serverInProcess(t, { dataDir })
    t.is((await server.send('GET', '/v1/kv/a?raw')).text, '2')
    await until('all commits are signed', async () => {
      const { text } = await server.send('GET', '/v1/event/checkpoint')
      return Number(text.split('\n')[1]) === server.app.views.index
    })
    t.true(readdirSync(join(dataDir, 'log/tree')).some(name => name.endsWith('.damaged')))
    await server.close()
    const verified = await annals(['log', 'verify', '--data-dir', dataDir])
    t.is(verified.code, 0, verified.errors)
  })
