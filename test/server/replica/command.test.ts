// `annals replica`: its options, and how it ends.
import { cp, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { annals } from '../../support/command-line.js'
import { flip, publishing } from '../../support/published-log.js'
import { replicaInProcess, sourceAt } from '../../support/replica.js'
import { runProgram, temporaryFolder } from '../../support/process.js'
import { PublishedFolder } from '../../../server/publication/published-folder.js'

test('a replica of a published log that was tampered with ends with exit code 1, and names the place', async t => {
  const { folder, vkey, publish } = await publishing(t)
  const [target, key] = [join(folder, 'published'), join(folder, 'manifest.key')]
  const { errors } = await publish(target, '-payloads', '-plain', '-manifest-key', key)
  const [, manifestVkey = ''] = /signed by (\S+)/.exec(errors) ?? []
  const files = await new PublishedFolder(target).list('payload')
  flip(join(target, files.find(path => !path.endsWith('manifest')) ?? ''), 200)
  const { code, output } = await runProgram(
    `replica --from ${target} --key ${vkey} --manifest-key ${manifestVkey} --trust-local --data-dir ${join(temporaryFolder(t), 'replica')} --http-port 0 --dns-port -1`.split(
      ' '
    )
  )
  t.is(code, 1, output)
  t.regex(output, /payloads of commits 1 to \d+, is not what the manifest names/)
  t.regex(output, /the source of this replica cannot be trusted/)
})

test('options of a replica that do not go together are refused', async t => {
  const { server, vkey, folder, publish } = await publishing(t)
  const target = join(folder, 'published')
  await publish(target)
  const refused = async (message: RegExp, from: string, ...more: readonly string[]): Promise<void> => {
    const { code, errors } = await annals(['replica', '--from', from, '--key', vkey, ...more])
    t.not(code, 0)
    t.regex(errors, message)
    t.notRegex(errors, /\n {4}at /)
  }
  await refused(/--manifest-key is missing/, target)
  await refused(/a published log knows no tokens/, target, '--manifest-key', vkey)
  await refused(/--manifest-key: "nonsense" is no key/, target, '--manifest-key', 'nonsense')
  const copy = join(folder, 'damaged')
  await cp(target, copy, { recursive: true })
  await truncate(join(copy, 'checkpoint'), 20)
  await refused(/checkpoint of .*damaged: a note has/, copy, '--manifest-key', vkey, '--trust-local')
  await refused(/exclude each other/, server.base, '--trust-local', '--tokens', server.base)
  await refused(/loopback addresses only/, server.base, '--trust-local', '--bind', '0.0.0.0')
  await refused(/neither workers nor a cluster/, server.base, '--workers', '1')
  await refused(/cannot be read/, 'http://127.0.0.1:1')
  const own = join(folder, 'data')
  await refused(/has the log of a server/, server.base, '--trust-local', '--data-dir', own)
  await refused(
    /data_dir \S+checkpoint cannot be created/,
    server.base,
    '--data-dir',
    join(copy, 'checkpoint'),
    '--trust-local'
  )
  const copied = join(folder, 'copied')
  const replica = await replicaInProcess(t, {
    source: sourceAt(server.base),
    vkey,
    tokens: undefined,
    dataDir: copied
  })
  await replica.close()
  const served = await annals(['serve', '--data-dir', copied, '--http-port', '0', '--dns-port', '-1'])
  t.is(served.code, 1)
  t.regex(served.errors, /must not be the folder of a replica/)
  const { errors } = await annals(['replica', '--from', server.base, '--key', 'nonsense'])
  t.regex(errors, /is no key/)
})
