import { UsageError } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { text } from '../remote/flags.js'
import { roleNaming } from './roles.js'
import { byAccessor } from './tokens.js'
import { idOf } from './usage.js'

export const policySuggest = remoteCommand({
  summary: 'Print the rules that a token or role needs for its recorded questions.',
  about:
    'The rules grant nothing beyond the current rights. Comments name some of the names that each rule is for. A short record lacks rare\nuses: notes on stderr say what is recorded.',
  examples: [
    'annals policy suggest --accessor-id 14fae9d6 > web.hcl',
    'annals policy suggest --role web --days 90 --names exact'
  ],
  flags: {
    accessorId: text('id', 'AccessorID of the token, or its beginning'),
    role: text('role', 'ID or name of the role'),
    days: text('number', 'days of the record (default: acl.usage.advice_days)'),
    names: text(
      'exact|prefix',
      'a rule for each name, or one for names with a common prefix (default: prefix)'
    )
  },
  isRead: true,
  run: async run => {
    const { accessorId, role, days, names } = run.flags
    if ((accessorId === undefined) === (role === undefined))
      throw new UsageError('name a token by --accessor-id, or a role by --role')
    if (names !== undefined && names !== 'exact' && names !== 'prefix')
      throw new UsageError(`--names "${names}" is neither exact nor prefix`)
    const found =
      accessorId === undefined
        ? await run.read('/v1/acl/role/{id}/suggestion', {
            id: await idOf({ ...run, args: { which: role }, flags: {} }, 'role', roleNaming),
            days,
            names
          })
        : await run.read('/v1/acl/token/{AccessorID}/suggestion', {
            AccessorID: await idOf(
              { ...run, args: { accessor: accessorId }, flags: {} },
              'token',
              byAccessor
            ),
            days,
            names
          })
    run.out.show(found, ({ Rules }) => Rules.trimEnd())
    const { RecordedDays, RequiredDays, NotHeard, IsSufficient } = found.Coverage
    if (IsSufficient !== true)
      run.out.note(
        `${RecordedDays} of ${RequiredDays} days are recorded${NotHeard.length === 0 ? '' : `, and ${NotHeard.join(', ')} has not answered`}: rare uses may be missing`
      )
    if (found.Datacenters !== undefined)
      run.out.note(
        `the rights differ between datacenters: create the policy with -valid-datacenter ${found.Datacenters.join(',')}`
      )
  }
})
