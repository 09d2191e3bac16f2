// The parts of which all pages consist; `design-page.tsx` shows them.
export { Badge, STATES, Status, type Tone } from './badge.js'
export { Button, Choice, CopyButton, PERIODS, saveFile } from './button.js'
export { Chart } from './chart.js'
export { Chips } from './chips.js'
export { CodeEditor } from './code-editor.js'
export { type Fault } from './code-editor-props.js'
export { Combobox, type Option } from './combobox.js'
export { ConfirmButton } from './confirm-button.js'
export { Diagram, type DiagramBox, type DiagramLine, type Mark } from './diagram.js'
export { Dialog } from './dialog.js'
export { DraftEditor } from './draft-editor.js'
export { Facts, Payload } from './facts.js'
export {
  CheckField,
  Field,
  FieldGroup,
  fieldOf,
  FileField,
  FurtherFields,
  furtherTexts,
  Select
} from './field.js'
export { Breadcrumbs, Heading, linksTo } from './heading.js'
export { Icon } from './icon.js'
export { List, type ListColumn } from './list.js'
export { Matrix, type MatrixMark } from './matrix.js'
export { Notice, Refusal, Restricted } from './notice.js'
export { formatRelativeTime, RelativeTime } from './relative-time.js'
export { CreateLink, FilterField, SearchHeader, SearchInput } from './search-header.js'
export { Section } from './section.js'
export { announce, StatusAnnouncer } from './status-announcer.js'
export { StreamNotice } from './stream-notice.js'
export { ActionForm, ReasonInput, SubmitButton, SubmitForm } from './submit-form.js'
export { Table } from './table.js'
export { Tabs } from './tabs.js'
export { TextDiff } from './text-diff.js'
export { Timeline } from './timeline.js'
export { InChangeSet, tokenName, useNames, Who } from './who.js'
