// Recorded cases that need endpoints which do not exist yet, by area. A case that passes must be taken out of here.

export const awaited: Readonly<Record<string, readonly string[]>> = {
  // The agent.
  kv: [
    'ACLs off: a token that is sent does not matter',
    'default policy allow: without a token all of this is allowed; an unknown token is refused'
  ],
  // Health reads.
  'txn-catalog': [
    'Service delete: needs the name too; a missing one is no error; its checks go',
    'Check set: exactly these fields, status critical by default; the same again keeps the index; get',
    'Check set: any status is taken',
    'Check set for a service: ServiceName and ServiceTags are copied from the service',
    'Check set: the definition; durations as text or nanoseconds come back as text',
    'random sequence 6 of transactions over two nodes, two services, two checks',
    'random sequence 7 of transactions over two nodes, two services, two checks',
    'random sequence 8 of transactions over two nodes, two services, two checks',
    'random sequence 10 of transactions over two nodes, two services, two checks',
    'random sequence 11 of transactions over two nodes, two services, two checks'
  ]
}
