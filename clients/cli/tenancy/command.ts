import { namespaceDefinition, partitionDefinition } from '../../../events/namespace.js'
import { impactCommand } from '../acl/impact.js'
import { linksInput, objectIn, type FieldInput, type ResourceRun } from '../resources/field-inputs.js'
import { byNameArgument } from '../resources/naming.js'
import { resourceGroup } from '../resources/resource-commands.js'

const deletion = (noun: string, command: string) => ({
  summary: `Delete ${noun} and its resources.`,
  about: 'The server deletes the resources in the background, after this command has ended.',
  done: (name: string) => `The ${command} "${name}" is being deleted`
})

const nameInput = ({ nameOf, flags }: ReturnType<typeof byNameArgument>): FieldInput => ({
  flags,
  update: 'omitted',
  valueOf: nameOf
})

const policies = linksInput('defaultPolicy', 'policy of all tokens of the namespace', {})
const roles = linksInput('defaultRole', 'role of all tokens of the namespace', {})

const linkDefaults: FieldInput = {
  flags: { ...policies.flags, ...roles.flags },
  valueOf: (run: ResourceRun, existing) => ({
    PolicyDefaults: policies.valueOf(run, objectIn(existing)['PolicyDefaults']),
    RoleDefaults: roles.valueOf(run, objectIn(existing)['RoleDefaults'])
  })
}

const namespaceName = byNameArgument('namespace', '/v1/namespaces')
const partitionName = byNameArgument('admin partition', '/v1/partitions')

export const namespace = resourceGroup({
  definition: namespaceDefinition,
  command: 'namespace',
  noun: 'namespace',
  summary: 'Create, show, update and delete namespaces.',
  sample: 'team',
  path: '/v1/namespace',
  list: '/v1/namespaces',
  naming: namespaceName,
  inputs: { Name: nameInput(namespaceName), ACLs: linkDefaults },
  columns: ['Name', 'Description', 'Meta'],
  details: ['Name', 'Description', 'Meta', 'Default policies', 'Default roles'],
  derived: ({ ACLs }) => ({
    'Default policies': objectIn(ACLs)['PolicyDefaults'],
    'Default roles': objectIn(ACLs)['RoleDefaults']
  }),
  hasDefinitionFiles: true,
  texts: {
    create: {
      examples: ['annals namespace create -name team -description "The team"', 'annals namespace create team']
    },
    update: {
      about:
        'Fields that no flag sets keep their values, unless --no-merge is given. Default policies and roles replace the existing ones, and\nmetadata is added.',
      examples: ['annals namespace update -name team -meta owner=ann']
    },
    delete: deletion('a namespace', 'namespace')
  },
  more: { impact: impactCommand('namespace') }
})

export const partition = resourceGroup({
  definition: partitionDefinition,
  command: 'partition',
  article: 'an',
  noun: 'admin partition',
  summary: 'Create, show, update and delete admin partitions.',
  sample: 'east',
  path: '/v1/partition',
  list: '/v1/partitions',
  naming: partitionName,
  inputs: { Name: nameInput(partitionName), DisableGossip: undefined },
  columns: ['Name', 'Description'],
  details: ['Name', 'Description', 'DisableGossip'],
  hasDefinitionFiles: true,
  texts: {
    create: { examples: ['annals partition create -name east -description "The east"'] },
    update: { examples: ['annals partition update -name east -description "The new east"'] },
    delete: deletion('an admin partition', 'partition')
  }
})
