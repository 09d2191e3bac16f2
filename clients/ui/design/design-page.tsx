// All parts of the design system on one page, at /ui/design of development builds. Pages use nothing else.
import { Clock, Copy, History, Keyboard, Plus, Search, X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Badge, STATES, Status } from './badge.js'
import { Breadcrumbs, Heading } from './heading.js'
import { Chart } from './chart.js'
import { Chips } from './chips.js'
import { CodeEditor } from './code-editor.js'
import { ConfirmButton } from './confirm-button.js'
import { Facts } from './facts.js'
import { CheckField, Field, Select } from './field.js'
import { Icon } from './icon.js'
import { Notice, Refusal, Restricted } from './notice.js'
import { RelativeTime } from './relative-time.js'
import { Section } from './section.js'
import { announce } from './status-announcer.js'
import { StreamNotice } from './stream-notice.js'
import { Table } from './table.js'
import { Tabs } from './tabs.js'
import { TextDiff } from './text-diff.js'
import { Timeline } from './timeline.js'

/** Text colours and the grounds on which they are readable. */
const COLOURS = {
  ground: ['ink', 'quiet', 'accent', 'bad', 'warn', 'good', 'code-string', 'code-number'],
  raised: ['ink', 'quiet', 'accent', 'bad', 'warn', 'good'],
  hover: ['ink'],
  accent: ['on-accent'],
  'accent-soft': ['ink', 'accent'],
  'bad-soft': ['bad'],
  'warn-soft': ['ink', 'warn'],
  'good-soft': ['good'],
  made: ['ink'],
  gone: ['ink']
}

const MEASURES = {
  'font-size': ['text-small', 'text', 'text-large', 'text-title'],
  width: ['space-1', 'space-2', 'space-3', 'space-4', 'space-5', 'space-6'],
  'border-radius': ['round', 'pill']
}

const BUTTONS = ['primary', '', 'danger', 'quiet-button', 'plain'] as const
const VALUES = [3, 5, 4, 9, undefined, 6, 7, 12, 8]
const RULES = 'key_prefix "shop/" {\n  policy = "read"\n}\n'
const NOW = new Date().toISOString()

const Tokens = () => (
  <>
    {Object.entries(COLOURS).map(([ground, texts]) => (
      <p key={ground} class="choices">
        {texts.map(text => (
          <code key={text} style={{ background: `var(--${ground})`, color: `var(--${text})` }}>
            {text} on {ground}
          </code>
        ))}
      </p>
    ))}
    {Object.entries(MEASURES).map(([property, names]) => (
      <p key={property} class="choices">
        {names.map(name => (
          <code key={name} style={{ [property]: `var(--${name})`, background: 'var(--hover)' }}>
            {name}
          </code>
        ))}
      </p>
    ))}
  </>
)

const Fields = () => {
  const [text, setText] = useState('web')
  const [isOn, setIsOn] = useState(true)
  return (
    <form class="fields" onSubmit={event => event.preventDefault()}>
      <Field label="Name" hint="Lower case letters" value={text} change={setText} />
      <Select label="Protocol" options={['web', 'tcp', 'http']} value={text} change={setText} />
      <CheckField label="Only passing instances" value={isOn} change={setIsOn} />
    </form>
  )
}

const States = () => (
  <>
    <p class="choices">
      {Object.keys(STATES).map(state => (
        <Status key={state} of={state} />
      ))}
      <Badge tone="plain">label</Badge>
    </p>
    <StreamNotice state="loading" count={0} what={['key', 'keys']} />
    <StreamNotice state="live" count={0} what={['key', 'keys']} />
    <StreamNotice state={{ lost: 'closed', since: 0, wasLive: true }} count={3} what={['key', 'keys']} />
    <Refusal text="invalid `after`: 51 is greater than the last index 50" />
    <Restricted refusal="Permission denied" permission="operator:read" />
    <Notice tone="warn">It expires in an hour.</Notice>
  </>
)

const Texts = () => (
  <>
    <TextDiff before={'a\nb'} after={'a\nc'} titles={['Theirs', 'Yours']} />
    <CodeEditor language="hcl" label="Rules" value={RULES} change={() => {}} />
  </>
)

const Actions = () => (
  <p class="choices">
    {BUTTONS.map(kind => (
      <button key={kind} type="button" class={kind} onClick={() => announce('Saved.')}>
        <Icon of={Plus} /> {kind || 'default'}
      </button>
    ))}
    <button type="button" disabled>
      disabled
    </button>
    <ConfirmButton label="Delete key" title="Delete web?" action={async () => announce('Deleted.')}>
      It is in the history.
    </ConfirmButton>
    {[Clock, Copy, History, Keyboard, Search, X].map((icon, at) => (
      <Icon key={at} of={icon} />
    ))}
  </p>
)

const Data = () => (
  <>
    <Facts
      facts={[
        ['Name', 'web'],
        ['Created', <RelativeTime key="time" at={NOW} />]
      ]}
    />
    <Table label="Members" head={['Name', 'State']} rows={[['n1', <Status key="s" of="passing" />]]} />
    <Timeline items={[{ id: 1, content: 'Alice changed key web', end: <RelativeTime at={NOW} isShort /> }]} />
    <Chips what="role" chips={[{ id: '1', name: 'shop-team' }]} remove={() => {}} />
    <Chart
      label="Nine minutes"
      series={[{ title: 'Commits', values: VALUES }]}
      format={String}
      points={9}
      least={1}
    />
  </>
)

const SECTIONS: Readonly<Record<string, () => ComponentChildren>> = {
  'Colours and measures': Tokens,
  States,
  'Buttons, toasts, dialogs and icons': Actions,
  Fields,
  Data,
  Texts
}

export const DesignPage = () => (
  <main class="resource">
    <Breadcrumbs
      links={[
        ['/ui/', 'Overview'],
        [undefined, 'Design']
      ]}
    />
    <Heading>Design</Heading>
    <Tabs
      label="Parts"
      parameter="tab"
      tabs={[
        {
          id: 'all',
          title: 'All',
          content: () =>
            Object.entries(SECTIONS).map(([title, Content]) => (
              <Section key={title} title={title}>
                <Content />
              </Section>
            ))
        },
        { id: 'other', title: 'Another tab', content: () => <p>Its content</p> }
      ]}
    />
  </main>
)
