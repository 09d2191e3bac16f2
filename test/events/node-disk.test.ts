// Folders and locks of the real disk, and descriptors that children have of the same files.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { NodeDisk } from '../../events/log/node-disk.js'
import { temporaryFolder } from './folders.js'

const DESCRIPTORS = '/proc/self/fd'

/** The descriptor that this process has of a file; undefined where the system does not tell. */
const descriptorOf = (path: string): number | undefined => {
  for (const name of readdirSync(DESCRIPTORS))
    try {
      if (readlinkSync(join(DESCRIPTORS, name)) === path) return Number(name)
    } catch {
      // Another thread has closed it meanwhile.
    }
  return undefined
}

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('a lock ends with its handle, also while a child has the descriptor', async t => {
  const folder = temporaryFolder()
  const disk = new NodeDisk(folder)
  const held = await disk.open('locked', 'durable')
  t.true(held.lock(0, 'exclusive'))
  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore', descriptorOf(join(folder, 'locked'))] })
  t.teardown(() => child.kill())
  await once(child, 'spawn')
  const next = await disk.open('locked', 'durable')
  t.false(next.lock(0, 'exclusive'))
  await held.close()
  t.true(next.lock(0, 'exclusive'))
  await next.close()
})

test('a folder is made with those above it, and stays when it is there', async t => {
  const path = join(temporaryFolder(), 'a', 'b')
  await new NodeDisk(path).make()
  await new NodeDisk(path).make()
  t.deepEqual(await new NodeDisk(path).list(), [])
})

onLinux('a file system without folders is an error, and so is a file in place of a folder', async t => {
  await t.throwsAsync(new NodeDisk('/proc/none/log').make(), { code: 'ENOENT' })
  await t.throwsAsync(new NodeDisk('/proc/version').make(), { code: 'EEXIST' })
  await t.throwsAsync(new NodeDisk('/proc/version/log').make(), { code: 'ENOTDIR' })
})
