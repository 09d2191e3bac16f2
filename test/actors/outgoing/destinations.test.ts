import test from 'ava'
import { Destinations, type DestinationRules } from '../../../actors/outgoing/destinations.js'

const rules = (given: Partial<DestinationRules> = {}): Destinations =>
  new Destinations({ allow: [], checks: [], isLocalServer: false, ...given })

const LINK_LOCAL = [
  '169.254.169.254',
  'fe80::1',
  'fe80::1%eth0',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '::169.254.169.254',
  '::a9fe:a9fe'
]
const METADATA = [
  ...LINK_LOCAL,
  'fd00:ec2::254',
  '100.100.100.200',
  '::ffff:100.100.100.200',
  '::100.100.100.200'
]
const THIS_MACHINE = [
  '127.0.0.1',
  '127.8.9.10',
  '::1',
  '::ffff:127.0.0.1',
  '0.0.0.0',
  '::',
  '64:ff9b::7f00:1',
  '::127.0.0.1'
]
const PRIVATE = ['10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1', '::ffff:10.0.0.1']
const PUBLIC = ['93.184.216.34', '2606:2800:220:1::1', '::ffff:93.184.216.34']

test('checks go anywhere but to link-local and metadata addresses', t => {
  for (const isLocalServer of [true, false]) {
    const destinations = rules({ allow: ['10.0.0.0/8'], isLocalServer })
    for (const address of [...PRIVATE, ...PUBLIC, ...THIS_MACHINE, '100.100.100.201', 'fd00:ec2::253'])
      t.true(destinations.mayReach('check', address), address)
    for (const address of METADATA) t.false(destinations.mayReach('check', address), address)
  }
})

test('networks configured for checks are the only ones, metadata addresses included', t => {
  const destinations = rules({ checks: ['169.254.0.0/16', 'fd00:ec2::254'] })
  for (const address of ['169.254.169.254', '::ffff:169.254.1.1', '::169.254.1.1', 'fd00:ec2::254'])
    t.true(destinations.mayReach('check', address), address)
  for (const address of ['127.0.0.1', '93.184.216.34', 'fd00:ec2::253', '100.100.100.200'])
    t.false(destinations.mayReach('check', address), address)
  t.false(destinations.mayReach('auth method', '169.254.169.254'))
})

test('auth methods go anywhere but to link-local and metadata addresses, and to this machine only from a server of this machine', t => {
  for (const address of [...PRIVATE, ...PUBLIC]) t.true(rules().mayReach('auth method', address), address)
  for (const isLocalServer of [true, false]) {
    const destinations = rules({ isLocalServer })
    for (const address of METADATA) t.false(destinations.mayReach('auth method', address), address)
    for (const address of THIS_MACHINE)
      t.is(destinations.mayReach('auth method', address), isLocalServer, address)
  }
})

test('webhooks go to public addresses only', t => {
  const destinations = rules({ isLocalServer: true })
  for (const address of PUBLIC) t.true(destinations.mayReach('webhook', address), address)
  const others = [...METADATA, ...THIS_MACHINE, ...PRIVATE, '224.0.0.1', '255.255.255.255', '2001:db8::1']
  for (const address of others) t.false(destinations.mayReach('webhook', address), address)
})

test('configured networks are the only ones, for both', t => {
  const destinations = rules({ allow: ['10.0.0.0/8', '169.254.169.254', 'fd00::/8'], isLocalServer: true })
  for (const initiator of ['auth method', 'webhook'] as const) {
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '169.254.169.254', 'fd12::1'])
      t.true(destinations.mayReach(initiator, address), address)
    for (const address of ['11.0.0.1', '127.0.0.1', '169.254.169.253', '93.184.216.34', 'fe80::1'])
      t.false(destinations.mayReach(initiator, address), address)
  }
})

test('a text that is no address is never reachable', t => {
  for (const text of ['', 'localhost', '10.0.0.1/8', '1.2.3'])
    t.false(rules({ allow: ['0.0.0.0/0', '::/0'] }).mayReach('webhook', text), text)
})
