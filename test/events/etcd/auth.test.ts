// An etcd that asks for users and passwords.
import test, { type ExecutionContext } from 'ava'
import { until } from '../../support/wait.js'
import type { Etcd } from '../../cluster/etcd-member.js'
import { EMPTY, etcdFor, CLUSTER_SEED, logAt, memberOf, urlsOf } from './support.js'

const USER = { user: 'annals', password: 'a secret: 5%' }

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Turns authentication on, with a user who has the rights to our prefix alone. */
const askForUsers = async (etcd: Etcd): Promise<void> => {
  const call = (path: string, body: object) => etcd.call(path, body)
  await call('/v3/auth/user/add', { name: 'root', password: 'root' })
  await call('/v3/auth/user/grant', { user: 'root', role: 'root' })
  await call('/v3/auth/user/add', { name: USER.user, password: USER.password })
  await call('/v3/auth/role/add', { name: 'annals' })
  const perm = { permType: 'READWRITE', key: base64('/annals/'), range_end: base64('/annals0') }
  await call('/v3/auth/role/grant', { name: 'annals', perm })
  await call('/v3/auth/user/grant', { user: USER.user, role: 'annals' })
  await call('/v3/auth/enable', {})
}

const begun = async (t: ExecutionContext): Promise<Etcd | undefined> => {
  const etcd = await etcdFor(t)
  if (etcd) await askForUsers(etcd)
  return etcd
}

test('a user with the rights to the prefix takes part, also after etcd has forgotten its token', async t => {
  const etcd = await begun(t)
  if (!etcd) return
  const log = logAt(t, urlsOf(etcd), { user: USER })
  await log.createCluster(CLUSTER_SEED, EMPTY)
  t.is((await log.read()).head.index, 0)
  const membership = await log.join()
  await membership.announce(memberOf('a'))
  const term = await membership.campaign(memberOf('a'))
  t.truthy(term)
  // Tokens are in the memory of a member.
  const [member] = etcd.members
  await member?.kill()
  member?.start()
  await until('it is reached again', () => log.read().catch(() => undefined))
  await membership.announce(memberOf('a', 1))
  const [found] = (await log.members()).live
  t.is(found?.flushed, 1)
  const { validUntil } = membership
  await until('the lease is renewed', () => membership.validUntil > validUntil)
})

test('without a user, or with a wrong password, the message says so', async t => {
  const etcd = await begun(t)
  if (!etcd) return
  const message = /^etcd at http:.*: etcdserver: /
  await t.throwsAsync(logAt(t, urlsOf(etcd)).clusterSeed(), { message })
  const wrong = logAt(t, urlsOf(etcd), { user: { ...USER, password: 'x' } })
  await t.throwsAsync(wrong.clusterSeed(), { message: /authentication failed, invalid user ID or password/ })
})

test('a user is no obstacle where etcd asks for none, and is used from when it does', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const log = logAt(t, urlsOf(etcd), { user: USER })
  await log.createCluster(CLUSTER_SEED, EMPTY)
  await askForUsers(etcd)
  t.is((await log.clusterSeed())?.cluster, CLUSTER_SEED.cluster)
})
