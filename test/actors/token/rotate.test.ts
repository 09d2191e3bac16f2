import test from 'ava'
import { tokenAggregate } from '../../../actors/token.js'
import { ANONYMOUS_ACCESSOR, isTokenEvent, type Token } from '../../../events/token.js'
import { command, given } from '../../support/decision-spec.js'
import {
  anonymousToken,
  id,
  NEW_ACCESSOR,
  NEW_SECRET,
  policyFixture,
  tokenFixture
} from '../acl-resources.js'

const [plain, ending, login, replaced] = [id(1), id(3), id(5), id(7)]
const world = given(
  anonymousToken(),
  policyFixture(id(11), 'web'),
  tokenFixture(plain, id(2), {
    Description: 'deploys',
    Policies: [{ ID: id(11), Name: 'old name' }],
    ServiceIdentities: [{ ServiceName: 'web', Datacenters: [] }],
    Local: true,
    RotatedFrom: id(99)
  }),
  tokenFixture(ending, id(4), { ExpirationTime: '2026-01-01T00:05:00Z' }),
  tokenFixture(login, id(6), { AuthMethod: 'kube' }),
  tokenFixture(replaced, id(8), { RotatedTo: plain, ExpirationTime: '2026-01-01T00:05:00Z' })
)
const MINUTE = 60_000
const rotate = (accessor: string, graceMs = 10 * MINUTE) =>
  command('RotateToken', { accessor, graceMs, newAccessor: NEW_ACCESSOR, newSecret: NEW_SECRET })

const rotated = (accessor: string, graceMs?: number): readonly Token[] =>
  world
    .when(tokenAggregate, rotate(accessor, graceMs))
    .events()
    .flatMap(event => (isTokenEvent(event) ? [event.Payload.ACLToken] : []))

test('a rotation creates a replacement and gives the replaced token its grace period, in one commit', t => {
  world
    .when(tokenAggregate, rotate(plain))
    .gives(t, `ACLTokenUpserted ${NEW_ACCESSOR}`, `ACLTokenUpserted ${plain}`)
  const [next, old] = rotated(plain)
  t.like(next, {
    AccessorID: NEW_ACCESSOR,
    Description: 'deploys',
    Policies: [{ ID: id(11), Name: 'web' }],
    ServiceIdentities: [{ ServiceName: 'web', Datacenters: [] }],
    Local: true,
    RotatedFrom: plain,
    RotatedTo: undefined,
    ExpirationTime: undefined,
    CreateTime: '2026-01-01T00:00:00Z',
    CreateIndex: 7
  })
  t.like(old, {
    AccessorID: plain,
    Description: 'deploys',
    RotatedFrom: id(99),
    RotatedTo: NEW_ACCESSOR,
    ExpirationTime: '2026-01-01T00:10:00Z',
    CreateTime: '2025-12-31T00:00:00Z',
    CreateIndex: 1,
    ModifyIndex: 7
  })
})

test('only the replacement has the new secret', t => {
  const secrets = world.when(tokenAggregate, rotate(plain)).events()
  t.deepEqual(
    secrets.map(({ Secrets }) => Secrets),
    [{ SecretID: NEW_SECRET }, { SecretID: id(2) }]
  )
})

test('the replacement keeps the remaining life, and a grace period prolongs none', t => {
  const expirations = (graceMs: number) => rotated(ending, graceMs).map(token => token.ExpirationTime)
  t.deepEqual(expirations(10 * MINUTE), ['2026-01-01T00:05:00Z', '2026-01-01T00:05:00Z'])
  t.deepEqual(expirations(MINUTE), ['2026-01-01T00:05:00Z', '2026-01-01T00:01:00Z'])
})

test('what cannot be rotated', t => {
  world.when(tokenAggregate, rotate(id(98))).refuses(t, 'acl.not-found', /ACL not found/)
  world
    .when(tokenAggregate, rotate(login))
    .refuses(t, 'acl.token.not-rotatable', /token created from an auth method/)
  world.when(tokenAggregate, rotate(ANONYMOUS_ACCESSOR)).refuses(t, 'acl.token.built-in', /anonymous token/)
  world
    .when(tokenAggregate, rotate(replaced))
    .refuses(t, 'acl.token.not-rotatable', new RegExp(`${plain} replaces it`))
})
