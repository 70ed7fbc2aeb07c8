import { byGroup } from './help-text.ts';
import { mayComeFrom, type Setting, type Settings, variableOf } from './setting.ts';

export interface SettingsPageOptions {
  readonly command: string;
  readonly settings: Settings;
}

/** The reference page, in Markdown, generated from the settings. */
export function settingsPage({ command, settings }: SettingsPageOptions): string {
  const sections = [...byGroup(settings)].map(([group, members]) => {
    const entries = members.map(([name, setting]) => entry(name, setting));
    return [`## ${group}`, ...entries].join('\n\n');
  });
  return `${[...opening(command), ...sections].join('\n\n')}\n`;
}

function opening(command: string): string[] {
  return [
    `# Settings of \`${command}\``,
    `<!-- Generated from the declarations of the settings; edit those, not this page. -->`,
    [
      'Each setting can be a flag, an environment variable or a key of the YAML file that `--config` names.',
      'A flag overrides its variable, the variable overrides the file, and the file overrides the default.',
    ].join('\n'),
    [
      '- A file is a flat map whose keys are the flags without the dashes; a value is written as the flag takes it.',
      '- An environment variable that is empty counts as not given.',
      '- A list has commas between its values, or the flag is repeated, or the file has a sequence.',
      '- A setting that does not exist, is given twice in one place or has a wrong value stops the start, whichever source it',
      '  came from, and all of them are named at once.',
      `- \`${command} --print-config\` shows the effective settings and their sources.`,
    ].join('\n'),
  ];
}

function entry(name: string, setting: Setting): string {
  const { kind } = setting;
  const rows = [
    ['Flag', `\`--${name}${kind.placeholder === '' ? '' : ` ${kind.placeholder}`}\``],
    ['Variable', mayComeFrom(setting, 'environment') ? `\`${variableOf(name, setting)}\`` : 'none'],
    ['In the file', mayComeFrom(setting, 'file') ? `\`${name}:\`` : 'no'],
    ['Value', kind.expects],
    ['Default', defaultOf(setting)],
  ].map(([what, value]) => `| ${what} | ${value?.replaceAll('|', '\\|')} |`);
  return [`### \`--${name}\``, setting.sentence, ['| | |', '|---|---|', ...rows].join('\n')].join('\n\n');
}

function defaultOf(setting: Setting): string {
  if (setting.default !== undefined) return setting.default === '' ? 'empty' : `\`${setting.default}\``;
  return (setting.unset ?? 'none').replaceAll('<', '\\<');
}
