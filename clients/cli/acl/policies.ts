import type { ResponseOf } from '../../typescript/typed/operations.js'
import { impactCommand } from './impact.js'
import { usageCommand } from './usage.js'
import { policyDefinition } from '../../../events/policy.js'
import { Failed } from '../failures.js'
import { remoteCommand } from '../remote/command.js'
import { CONTENT, textContent } from '../remote/content.js'
import { required } from '../remote/flags.js'
import { noticeText, warnOfRules } from './rule-warnings.js'
import { policySuggest } from './policy-suggest.js'
import { policyTest } from './policy-test.js'
import { proposalCommands } from './proposals.js'
import { contentInput, listInput, textInput } from '../resources/field-inputs.js'
import { byIdOrName } from '../resources/naming.js'
import { resourceGroup } from '../resources/resource-commands.js'

type Validation = ResponseOf<'post', '/v1/acl/policy/validate'>

const validationText = ({ Errors, Warnings }: Validation): string =>
  [
    ...Errors.map(notice => noticeText('Error', notice)),
    ...Warnings.map(notice => noticeText('Warning', notice))
  ].join('\n')

const validate = remoteCommand({
  summary: 'Validate rules without storing them.',
  about:
    'The exit code is 1 if the rules are invalid. Warnings name rules that are valid but have no effect.',
  examples: ['annals policy validate @web.hcl'],
  args: { rules: required(`the rules; ${CONTENT}`) },
  run: async ({ write, out, args, console }) => {
    const Rules = await textContent(args.rules, console)
    const found = await write('post', '/v1/acl/policy/validate', { Rules })
    out.show(found, validationText)
    if (!found.Valid) throw new Failed('the rules are invalid')
    if (found.Warnings.length === 0) out.note('The rules are valid')
  }
})

const naming = byIdOrName('policy', '/v1/acl/policies')

const usage = usageCommand('policy', naming, 'web', (read, id, days) =>
  read('/v1/acl/policy/{id}/usage', { id, days })
)

export const policyGroup = resourceGroup({
  definition: policyDefinition,
  command: 'policy',
  noun: 'policy',
  plural: 'policies',
  summary: 'Create, show, update and delete policies, which grant permissions.',
  sample: 'web',
  path: '/v1/acl/policy',
  list: '/v1/acl/policies',
  naming,
  inputs: {
    Name: textInput('name', 'name', 'name of the policy: letters, digits, - and _', { isRequired: true }),
    Rules: contentInput('rules', 'rules', 'rules in HCL or JSON'),
    Datacenters: listInput('validDatacenter', 'name', 'datacenter where the policy is valid; all by default')
  },
  columns: ['Name', 'ID', 'Datacenters', 'Description'],
  details: ['ID', 'Name', 'Namespace', 'Description', 'Datacenters'],
  blocks: ['Rules'],
  empty: { Datacenters: 'all' },
  texts: {
    create: {
      examples: [
        'annals policy create -name web-read -rules \'key_prefix "web/" { policy = "read" }\'',
        'annals policy create -name web -description "All of web" -rules @web.hcl'
      ]
    },
    update: {
      examples: [
        'annals policy update -name web -rules @web.hcl',
        'annals policy update -id 2b2b769b -name web-2'
      ]
    }
  },
  warn: ({ console }, { Rules }) => warnOfRules(console, Rules),
  more: {
    validate,
    test: policyTest,
    impact: impactCommand,
    usage,
    suggest: policySuggest,
    ...proposalCommands(naming)
  }
})
