// Which questions the authorize endpoint takes.
import test from 'ava'
import { AuthorizeRequestError, checkAuthorization } from '../../../projections/acl/authorize-request.js'

test('accesses are named in any letter case, and a question is about default unless it says otherwise', t => {
  t.deepEqual(checkAuthorization({ Resource: 'key', Access: 'Write-Prefix', Segment: 'a' }), {
    resource: 'key',
    access: 'write-prefix',
    segment: 'a',
    tenancy: { partition: 'default', namespace: 'default' }
  })
  t.deepEqual(checkAuthorization({ Resource: 'acl', Access: 'READ', Namespace: 'Team', Partition: 'p' }), {
    resource: 'acl',
    access: 'read',
    segment: '',
    tenancy: { partition: 'p', namespace: 'team' }
  })
})

const refused = [
  [{ Resource: 'foo', Access: 'read' }, 'Invalid ACL resource requested: "foo"'],
  [{ Resource: 'ACL', Access: 'read' }, 'Invalid ACL resource requested: "ACL"'],
  [{ Access: 'read' }, 'Invalid ACL resource requested: ""'],
  [{ Resource: 'namespace', Access: 'read' }, 'Invalid ACL resource requested: "namespace"'],
  [{ Resource: 'acl' }, 'Invalid access level for acl resource: '],
  [{ Resource: 'acl', Access: 'list' }, 'Invalid access level for acl resource: list'],
  [{ Resource: 'node', Access: 'write-prefix' }, 'Invalid access level for node resource: write-prefix'],
  [{ Resource: 'key', Access: 'Deny' }, 'Invalid access level for key resource: Deny']
] as const

for (const [element, message] of refused)
  test(`refused: ${JSON.stringify(element)}`, t => {
    t.throws(() => checkAuthorization(element), { instanceOf: AuthorizeRequestError, message })
  })

test('no question is about all namespaces', t => {
  t.throws(() => checkAuthorization({ Resource: 'acl', Access: 'read', Namespace: '*' }), {
    instanceOf: AuthorizeRequestError
  })
})
