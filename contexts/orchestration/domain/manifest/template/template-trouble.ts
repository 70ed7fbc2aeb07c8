/**
 * Why one text of a template does not work out, and where in it. Thrown and caught within this folder only: outside it is
 * a fault with line and column. It names variables and functions, and never a value, which may be secret.
 */
export class TemplateTrouble extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.name = 'TemplateTrouble';
    this.at = at;
  }
}

/** Too much work or output: nothing else of the template is tried. */
export class TemplateExhausted extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TemplateExhausted';
  }
}
