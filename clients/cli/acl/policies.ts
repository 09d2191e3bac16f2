import type { Schemas } from '../../typescript/typed/index.js'
import { policyProposalDefinition } from '../../../events/policy-proposal.js'
import { UsageError, Failed } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { CONTENT, textContent } from '../remote/content.js'
import { DELETION, deleteIfPresent, deletionFlags } from '../remote/deletion.js'
import { integer, text, required } from '../remote/flags.js'
import { textIn, contentInput, listInput, textInput } from '../resources/field-inputs.js'
import { type Naming, byIdOrName } from '../resources/naming.js'
import { resourceText, type ResourceText } from '../resources/resource-text.js'
import { impactText, impactCommand } from './impact.js'
import { warnOfRules, noticeText, policyTest } from './policy-test.js'
import { idOf, usageCommand } from './usage.js'
import type { ResponseOf } from '../../typescript/typed/operations.js'
import { policyDefinition } from '../../../events/policy.js'
import { policySuggest } from './policy-suggest.js'
import { resourceGroup } from '../resources/resource-commands.js'

type Proposal = Schemas['PolicyProposal']

const PATH = '/v1/acl/policy/{id}/proposal'
const DAY_MS = 24 * 60 * 60_000

const shown: ResourceText = {
  fields: policyProposalDefinition.fields,
  columns: [],
  details: [
    'ID',
    'Name',
    'Namespace',
    'Description',
    'Datacenters',
    ['Proposed', 'CreateTime'],
    ['Ends', 'ExpirationTime'],
    ['Index for --cas', 'ModifyIndex']
  ],
  blocks: ['Rules'],
  empty: { Datacenters: 'all' }
}

const proposalText = (proposal: Proposal): string => resourceText(shown, { ...proposal })

/** @throws UsageError */
const endAfter = (given: string | undefined): string | undefined => {
  if (given === undefined) return undefined
  const days = Number(given)
  if (days < 1 || days > 90) throw new UsageError(`--days must be from 1 to 90, and is ${days}`)
  return new Date(Date.now() + days * DAY_MS).toISOString()
}

const proposeCommand = (naming: Naming) =>
  remoteCommand({
    summary: 'Propose other rules for a policy, which decide nothing until they are promoted.',
    about:
      '`annals policy proposal` shows which recorded questions they would answer differently. A later proposal replaces it.',
    examples: [
      'annals policy propose web -rules @narrow.hcl',
      'annals policy propose web -rules @narrow.hcl --days 14'
    ],
    args: naming.args,
    flags: {
      ...naming.flags,
      rules: text('rules', `rules in HCL or JSON; ${CONTENT}`),
      description: text('text', 'description of the policy; that of the existing one by default'),
      days: integer('number', 'days after which the proposal ends: 1 to 90 (default: 30)')
    },
    run: async run => {
      const { flags, console, read, write, out } = run
      const given = textIn(flags, 'rules')
      if (given === undefined) throw new UsageError('--rules is required')
      const ExpirationTime = endAfter(flags.days)
      const Rules = await textContent(given, console)
      const id = await idOf(run, 'policy', naming)
      const { Name, Description, Datacenters } = await read('/v1/acl/policy/{id}', { id })
      warnOfRules(console, Rules)
      const body = {
        Name,
        Description: textIn(flags, 'description') ?? Description,
        Rules,
        Datacenters,
        ExpirationTime
      }
      out.show(await write('put', PATH, body, { id }), proposalText)
    }
  })

const showCommand = (naming: Naming) =>
  remoteCommand({
    summary: 'Show the proposal of a policy, and what it would change.',
    about: 'Questions are counted from the day of the proposal, in UTC.',
    examples: ['annals policy proposal web'],
    args: naming.args,
    flags: naming.flags,
    isRead: true,
    run: async run => {
      const id = await idOf(run, 'policy', naming)
      const Proposal = await run.read(PATH, { id })
      const Impact = await run.read(`${PATH}/impact`, { id })
      run.out.show({ Proposal, Impact }, found => [proposalText(found.Proposal), impactText(found.Impact)])
    }
  })

const promoteCommand = (naming: Naming) =>
  remoteCommand({
    summary: 'Replace a policy by its proposal.',
    about: 'It fails if the proposal was changed after this index, or the policy after the proposal.',
    examples: ['annals policy promote web --cas 57'],
    args: naming.args,
    flags: {
      ...naming.flags,
      cas: integer('index', 'required: index of the proposal that you have reviewed')
    },
    printsNotes: true,
    run: async run => {
      const { cas } = run.flags
      if (cas === undefined)
        throw new UsageError('--cas is required: `annals policy proposal` shows the index')
      const id = await idOf(run, 'policy', naming)
      const { Name } = await run.write('put', `${PATH}/promote`, undefined, { id, cas })
      run.out.note(`The policy "${Name}" has the proposed rules`)
    }
  })

const withdrawCommand = (naming: Naming) =>
  remoteCommand({
    summary: 'Withdraw the proposal of a policy.',
    about: DELETION,
    examples: ['annals policy withdraw web'],
    args: naming.args,
    flags: { ...naming.flags, ...deletionFlags },
    printsNotes: true,
    run: async run => {
      const id = await idOf(run, 'policy', naming)
      await deleteIfPresent(run, `the proposal of policy ${id}`, async () => {
        await run.write('delete', PATH, undefined, { id })
        return `The proposal of policy ${id} is withdrawn`
      })
    }
  })

/** Creates the commands about the proposed next version of a policy. */
const proposalCommands = (naming: Naming) => ({
  propose: proposeCommand(naming),
  proposal: showCommand(naming),
  promote: promoteCommand(naming),
  withdraw: withdrawCommand(naming)
})

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
    impact: impactCommand('policy'),
    usage,
    suggest: policySuggest,
    ...proposalCommands(naming)
  }
})
