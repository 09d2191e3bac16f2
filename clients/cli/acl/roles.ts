import { roleDefinition } from '../../../events/role.js'
import { text } from '../remote/flags.js'
import { identityInputs, linksInput, textInput } from '../resources/field-inputs.js'
import { byIdOrName } from '../resources/naming.js'
import { resourceGroup } from '../resources/resource-commands.js'
import { impactCommand } from './impact.js'
import { usageCommand } from './usage.js'

export const roleNaming = byIdOrName('role', '/v1/acl/roles')

const usage = usageCommand('role', roleNaming, 'web', (read, id, days) =>
  read('/v1/acl/role/{id}/usage', { id, days })
)

export const roleGroup = resourceGroup({
  definition: roleDefinition,
  command: 'role',
  noun: 'role',
  summary: 'Create, show, update and delete roles, which group policies and identities for tokens.',
  sample: 'web',
  path: '/v1/acl/role',
  list: '/v1/acl/roles',
  naming: roleNaming,
  inputs: {
    Name: textInput('name', 'name', 'name of the role: letters, digits, - and _', { isRequired: true }),
    Policies: linksInput('policy', 'policy', 'adds'),
    ...identityInputs('adds', 'adds')
  },
  columns: ['Name', 'ID', 'Policies', 'Description'],
  details: ['ID', 'Name', 'Namespace', 'Description'],
  filters: { policy: ['policy', text('id', 'only roles that link to this policy')] },
  texts: {
    create: {
      examples: [
        'annals role create -name web -policy-name web-read -policy-name web-write',
        'annals role create -name web -service-identity web:dc1,dc2'
      ]
    },
    update: {
      about:
        'Policies and identities are added to the existing ones, and fields that no flag sets keep their values, unless --no-merge is given.',
      examples: [
        'annals role update -name web -policy-name web-write',
        'annals role update -id 23095777 -no-merge -policy-name web-read'
      ]
    },
    list: { examples: ['annals role list', 'annals role list -policy 2b2b769b-e960-463b-99ea-0d2ff1b0e0a4'] }
  },
  more: { impact: impactCommand('role'), usage }
})
