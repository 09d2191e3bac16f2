// Erased data stays erased in a copied, truncated or restored log.
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { annals } from '../../support/command-line.js'
import { allErased } from '../../support/erasures.js'
import { filesWith } from '../../support/files-with.js'
import { withoutErasure } from '../../support/no-erasure.js'
import { temporaryFolder } from '../../support/process.js'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { indexOf } from '../../http/support.js'

const SECRET = 'what-a-customer-said'

const order = (server: TestServer, body: object) =>
  server.send('POST', '/v1/event/erase', { body: { Reason: 'request 2026-117', ...body } })

interface Ordered {
  readonly dataDir: string
  /** Index at which the entry had its last version. */
  readonly there: number
  /** Index at which it was deleted. */
  readonly deleted: number
}

/** The data folder of a server that had an entry, deleted it, and was ordered to erase it; whether that was carried out or not. */
const ordered = async (t: ExecutionContext, isDone: boolean): Promise<Ordered> => {
  const dataDir = join(temporaryFolder(t), 'data')
  const server = await serverInProcess(t, { dataDir, ...(isDone ? {} : { register: withoutErasure }) })
  const there = indexOf(await server.send('PUT', '/v1/kv/customers/1', { body: SECRET }))
  const deleted = indexOf(await server.send('DELETE', '/v1/kv/customers/1'))
  await server.send('PUT', '/v1/kv/other', { body: 'stays' })
  const answer = await order(server, { Topic: 'KV', Prefix: 'customers/' })
  t.is(answer.status, 200, answer.text)
  await server.send('PUT', '/v1/kv/later', { body: 'is written later' })
  if (isDone) await allErased(server)
  await server.close()
  t.is(filesWith(dataDir, [SECRET]).length > 0, !isDone)
  return { dataDir, there, deleted: deleted > there ? deleted : there + 1 }
}

/** Starts a server on a folder, and tells where the entry still is when it has erased what it was ordered to. */
const leftAfterStart = async (t: ExecutionContext, dataDir: string): Promise<readonly string[]> => {
  const server = await serverInProcess(t, { dataDir })
  await allErased(server)
  t.is((await server.send('GET', '/v1/kv/other?raw')).text, 'stays')
  t.is((await server.send('GET', '/v1/kv/customers/1')).status, 404)
  await server.send('PUT', '/v1/kv/after', { body: 'continues' })
  await server.close()
  const again = await serverInProcess(t, { dataDir })
  t.is((await again.send('GET', '/v1/kv/after?raw')).text, 'continues')
  await allErased(again)
  await again.close()
  const verified = await annals(['log', 'verify', '--replay', '--data-dir', dataDir])
  t.is(verified.code, 0, verified.errors)
  return filesWith(dataDir, [SECRET])
}

const restored = async (t: ExecutionContext, dataDir: string, ...more: readonly string[]) => {
  const folder = temporaryFolder(t)
  const [backup, target] = [join(folder, 'backup'), join(folder, 'restored')]
  const backedUp = await annals(['log', 'backup', backup, '--data-dir', dataDir])
  t.is(backedUp.code, 0, backedUp.errors)
  return { target, ended: await annals(['log', 'restore', backup, ...more, '--data-dir', target]) }
}

test.serial(
  'a backup from between the order and its end is erased by the server that it is restored to',
  async t => {
    const { dataDir } = await ordered(t, false)
    const { target, ended } = await restored(t, dataDir)
    t.is(ended.code, 0, ended.errors)
    t.deepEqual(await leftAfterStart(t, target), [])
  }
)

for (const isDone of [false, true])
  test.serial(
    `an order behind the end of what is restored is given again, ${isDone ? '' : 'not yet '}carried out`,
    async t => {
      const { dataDir, there, deleted } = await ordered(t, isDone)
      const revived = await restored(t, dataDir, '--until', String(there))
      t.not(revived.ended.code, 0)
      t.regex(revived.ended.errors, /KV "customers\/1" was as commit \d+ says, which was erased by the order/)
      const { target, ended } = await restored(t, dataDir, '--until', String(deleted + 1))
      t.is(ended.code, 0, ended.errors)
      t.regex(ended.output, /1 orders? to erase/)
      t.deepEqual(await leftAfterStart(t, target), [])
    }
  )

test.serial('an order that a repair cuts off is given again', async t => {
  const { dataDir, deleted } = await ordered(t, false)
  const ended = await annals(['log', 'repair', '--to', String(deleted + 1), '--yes', '--data-dir', dataDir])
  t.is(ended.code, 0, ended.errors)
  t.regex(ended.output, /Orders to erase among it: 1/)
  t.deepEqual(await leftAfterStart(t, dataDir), [])
})

for (const isDone of [false, true])
  test.serial(
    `an export from ${isDone ? 'after' : 'before'} an erasure is imported, and what was erased stays so`,
    async t => {
      const { dataDir } = await ordered(t, isDone)
      const exported = await annals(['log', 'export', '--with-secrets', '--data-dir', dataDir])
      t.is(exported.code, 0, exported.errors)
      const folder = temporaryFolder(t)
      const [file, target] = [join(folder, 'export'), join(folder, 'imported')]
      writeFileSync(file, exported.output)
      const imported = await annals(['log', 'import', file, '--data-dir', target])
      t.is(imported.code, 0, imported.errors)
      t.deepEqual(await leftAfterStart(t, target), [])
    }
  )
