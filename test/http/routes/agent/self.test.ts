import test from 'ava'
import { serverInProcess } from '../../../support/server.js'

test('the server tells its leader, its checks, and itself as a member', async t => {
  const server = await serverInProcess(t)
  const self = async () => JSON.parse((await server.send('GET', '/v1/agent/self')).text)
  const { Stats, Member, DebugConfig } = await self()
  const leader: string = JSON.parse((await server.send('GET', '/v1/status/leader')).text)
  t.is(Stats.consul.leader_addr, leader)
  t.is(DebugConfig.SerfAdvertiseAddrLAN, `tcp://${Member.Addr}:${Member.Port}`)
  t.deepEqual([Stats.agent.check_ttls, Stats.agent.check_monitors], ['0', '0'])
  const { role, dc, vsn, build, port } = Member.Tags
  t.deepEqual([role, dc, vsn, port], ['consul', 'dc1', '2', leader.split(':').at(-1)])
  t.regex(build, /^\d+\.\d+\.\d+:/)
  t.deepEqual(JSON.parse((await server.send('GET', '/v1/agent/members')).text)[0].Tags, Member.Tags)

  for (const body of [
    { Name: 'first', TTL: '1h' },
    { Name: 'second', TTL: '1h' },
    { Name: 'asks', TCP: '127.0.0.1:1', Interval: '1h' }
  ])
    t.is((await server.send('PUT', '/v1/agent/check/register', { body })).status, 200)
  const { agent } = (await self()).Stats
  t.deepEqual([agent.check_ttls, agent.check_monitors], ['2', '1'])
  await server.send('PUT', '/v1/agent/check/deregister/first')
  t.is((await self()).Stats.agent.check_ttls, '1')
})

test('a server on an IPv6 address is named with it in brackets', async t => {
  const server = await serverInProcess(t, { config: { bind: '::1', addresses: { http: '127.0.0.1' } } })
  t.is(JSON.parse((await server.send('GET', '/v1/status/leader')).text), '[::1]:8300')
  const { DebugConfig } = JSON.parse((await server.send('GET', '/v1/agent/self')).text)
  t.is(DebugConfig.SerfAdvertiseAddrLAN, 'tcp://[::1]:8301')
})
