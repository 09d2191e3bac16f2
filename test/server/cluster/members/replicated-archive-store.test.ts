// Where the archive of a restore lies, among the servers of a cluster.
import test from 'ava'
import { Refusal } from '../../../../actors/refusal.js'
import { SharedUnreachable } from '../../../../events/log/cluster/shared-log.js'
import type { DiskArchiveStore } from '../../../../http/routes/snapshot/disk-archive-store.js'
import { ReplicatedArchiveStore } from '../../../../server/cluster/members/replicated-archive-store.js'
import { memberOf } from '../../../events/etcd/support.js'

const DIGEST = 'a'.repeat(64)
const SIGNAL = new AbortController().signal

/** Of this server, which has nothing. */
const empty: Pick<DiskArchiveStore, 'take' | 'reopen' | 'keep' | 'clear'> = {
  take: () => Promise.reject(new Error('nothing is taken here')),
  reopen: () => Promise.resolve(undefined),
  keep: () => Promise.reject(new Error('unavailable')),
  clear: () => Promise.resolve()
}

/** Among servers none of which answers. @param live undefined if they cannot be asked for */
const shelf = (
  live: readonly string[] | undefined,
  joined: readonly string[],
  copies = 2
): ReplicatedArchiveStore =>
  new ReplicatedArchiveStore({
    disk: empty,
    shared: {
      members: async () => {
        if (!live) throw new SharedUnreachable('etcd does not answer')
        return { live: live.map(id => memberOf(id)), joined: joined.map(id => memberOf(id)) }
      }
    },
    signed: { send: () => Promise.resolve({ kind: 'not-sent' }) },
    timers: { abortAfter: () => SIGNAL },
    own: 'a',
    copies
  })

test('a restore is refused while too few servers can keep its archive', async t => {
  await t.throwsAsync(shelf(['a', 'b', 'c'], ['a', 'b', 'c']).spread(DIGEST, SIGNAL), {
    message: /^Too few servers of the cluster can keep the snapshot: nothing was changed/
  })
  await t.notThrowsAsync(shelf(['a'], ['a', 'b', 'c']).spread(DIGEST, SIGNAL))
  await t.notThrowsAsync(shelf(['a', 'b'], ['a', 'b'], 1).spread(DIGEST, SIGNAL))
})

test('a restore is refused, and changes nothing, while the servers are not known', async t => {
  const refusal = await t.throwsAsync(shelf(undefined, ['a', 'b']).spread(DIGEST, SIGNAL), {
    instanceOf: Refusal
  })
  t.is(refusal?.kind, 'unavailable')
})

test('an archive is given up only when no server that has joined can have it', async t => {
  t.is(await shelf(['a'], ['a']).reopen(DIGEST, SIGNAL), undefined)
  t.is(await shelf(['a'], ['a', 'b']).fetch(DIGEST, SIGNAL), 'unknown')
  t.is(await shelf(['a', 'b'], ['a', 'b']).fetch(DIGEST, SIGNAL), 'unknown')
})
