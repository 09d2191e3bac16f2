import { useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { Select } from '../../design/field.js'
import { Section } from '../../design/section.js'
import { SideBySide } from '../../design/side-by-side.js'
import { readable } from '../../resources/readable.js'
import type { Version } from '../../resources/versions.js'
import type { Versions } from './use-versions.js'
import { VersionRow } from './version-row.js'

/** @param versions newest first; renders nothing for a single one */
const Compare = ({ versions }: { readonly versions: readonly Version[] }) => {
  const [older, setOlder] = useState<number>()
  const [newer, setNewer] = useState<number>()
  const before = versions.find(({ Index }) => Index === older) ?? versions[1]
  const after = versions.find(({ Index }) => Index === newer) ?? versions[0]
  if (!before || !after) return null
  const options = versions.map(
    ({ Index, Time }) =>
      [Index, Time ? `${Index}, ${new Date(Time).toLocaleString()}` : String(Index)] as const
  )
  return (
    <Section title="Compare versions">
      <p class="choices">
        <Select
          label="Before"
          options={options}
          value={before.Index}
          change={index => setOlder(Number(index))}
        />
        <Select
          label="After"
          options={options}
          value={after.Index}
          change={index => setNewer(Number(index))}
        />
      </p>
      <SideBySide
        before={{ title: `Commit ${before.Index}`, text: readable(before.Payload) }}
        after={{ title: `Commit ${after.Index}`, text: readable(after.Payload) }}
      />
    </Section>
  )
}

interface Props {
  readonly named: Query
  readonly history: Versions
}

export const History = ({ named, history: { versions = [], hasOlder, loadOlder } }: Props) => (
  <>
    {versions.length > 0 && versions.every(({ By }) => !By) && (
      <p role="note">Author and time require operator:read.</p>
    )}
    {versions.map((version, at) => (
      <VersionRow
        key={version.Index}
        version={version}
        before={versions[at + 1]}
        current={versions[0]}
        named={named}
      />
    ))}
    {hasOlder && (
      <p>
        <button type="button" onClick={loadOlder}>
          Load older versions
        </button>
      </p>
    )}
    <Compare versions={versions.filter(({ Payload }) => Payload)} />
  </>
)
