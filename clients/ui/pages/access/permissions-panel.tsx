import type { Schemas } from '../../../typescript/typed/index.js'
import { useState } from 'preact/hooks'
import { SearchInput, Section, Select, SubmitForm, Table, SubmitButton } from '../../design/index.js'
import { useResponse } from '../../session/use-response.js'
import type { PanelProps } from '../resource/resource-view.js'
import { Explanation, SourceLink, sourceText, type Explained, EXPLAIN } from './explanation.js'
import { useQuestion } from '../send.js'

type Rule = Schemas['EffectiveRule']

type Rights = Schemas['Rights']

const RESOURCES = 'key service node session query event agent acl operator mesh keyring'.split(' ')

const ACCESS = ['read', 'list', 'write']

const PermissionTest = ({ accessor }: { readonly accessor: string }) => {
  const [Access, setAccess] = useState('read')
  const [Resource, setResource] = useState('key')
  const [Segment, setSegment] = useState('')
  const body = { AccessorID: accessor, Access, Resource, Segment }
  const { result, failure, ask } = useQuestion<Explained>(EXPLAIN, Object.values(body), () => ({ body }))
  return (
    <>
      <h3>Test a permission</h3>
      <SubmitForm failure={failure} submit={ask} class="choices">
        <Select isLabelHidden label="Access" options={ACCESS} value={Access} change={setAccess} />
        <Select isLabelHidden label="Resource" options={RESOURCES} value={Resource} change={setResource} />
        <input
          aria-label="Name"
          placeholder="Name"
          onInput={({ currentTarget }) => setSegment(currentTarget.value)}
        />
        <SubmitButton label="Test permission" />
      </SubmitForm>
      {result && <Explanation explained={result} />}
    </>
  )
}

const matches = ({ Text, Level, Namespace, Source: source }: Rule, search: string): boolean =>
  [Text, Level, Namespace, source ? sourceText(source) : '']
    .join(' ')
    .toLowerCase()
    .includes(search.trim().toLowerCase())

const Origin = ({ rule: { Line, Source: source, IsDefault } }: { readonly rule: Rule }) => (
  <>
    {source && <SourceLink source={source} />}
    {Line !== undefined && `, line ${Line}`}
    {IsDefault && ', a default of the namespace'}
  </>
)

export const PermissionsPanel = ({ id: accessor, place, newest }: PanelProps) => {
  const path = `/v1/acl/token/${encodeURIComponent(accessor)}/rights`
  const { value, failure } = useResponse<Rights>(path, place, newest.Index)
  const [search, setSearch] = useState('')
  const rules = (value?.Rules ?? []).filter(rule => matches(rule, search))
  return (
    <Section title="Permissions" failure={failure}>
      {value && (
        <>
          <p class="choices">
            <SearchInput label="permissions" value={search} change={setSearch} />
            <span role="status">
              {rules.length} of {value.Rules.length} rules
            </span>
          </p>
          <Table
            label="Rules of the token"
            head={['Rule', 'Level', 'Namespace', 'From']}
            rows={rules.map(rule => [
              <code>{rule.Text}</code>,
              rule.Intentions ? `${rule.Level}, intentions ${rule.Intentions}` : rule.Level,
              [rule.Partition === 'default' ? '' : rule.Partition, rule.Namespace].filter(Boolean).join('/'),
              <Origin rule={rule} />
            ])}
          />
          <p class="index">Default: {value.DefaultPolicy}</p>
          <PermissionTest accessor={accessor} />
        </>
      )}
    </Section>
  )
}
