// Saves everything that the server knows as one file, and makes the state what such a file says.
import { Section } from './section.js'
import { Restore } from './restore.js'
import { Save } from './save.js'

export const Snapshots = () => (
  <>
    <Section title="Save">
      <Save />
    </Section>
    <Section title="Restore">
      <Restore />
    </Section>
  </>
)
