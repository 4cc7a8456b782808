//! A reference interpreter: the plainest reading of the IR's documentation.
//!
//! It exists to check the loader against native runs, so it is slow, concrete, has no safety of
//! its own, and panics on what the test programs do not use (x87, variable arguments).

use umbra_ir::{
    BinaryOp, Callee, CastOp, ConstantValue, Edge, FloatKind, FloatOp, FloatPredicate, FunctionId,
    Id, Initializer, Intrinsic, Operand, Operation, Predicate, Program, RegisterId, Symbol,
    Terminator, Type,
};

/// Where objects start; below lie null and functions.
const BASE: u64 = 0x10_0000;
const SIZE: usize = 64 << 20;

pub struct Machine<'p> {
    program: &'p Program,
    memory: Vec<u8>,
    globals: Vec<u64>,
    /// The next free byte of the stack.
    top: u64,
    pub output: String,
    pub steps: u64,
}

/// The program runs longer than the test wants, or meets what is not supported.
pub struct Stopped;

fn mask(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

fn signed(value: u128, bits: u32) -> i128 {
    ((value << (128 - bits)) as i128) >> (128 - bits)
}

fn function_address(id: FunctionId) -> u64 {
    0x1000 + 16 * id.index() as u64
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut machine = Self {
            program,
            memory: vec![0; SIZE],
            globals: Vec::new(),
            top: BASE,
            output: String::new(),
            steps: 0,
        };
        for global in program.globals.values() {
            let address = machine.allocate(global.size, global.align);
            machine.globals.push(address);
        }
        for (id, global) in program.globals.iter() {
            if let Initializer::Data { bytes, relocations } = &global.initializer {
                let start = (machine.globals[id.index()] - BASE) as usize;
                machine.memory[start..start + bytes.len()].copy_from_slice(bytes);
                for relocation in relocations {
                    let value = machine.address(relocation.symbol, relocation.addend);
                    let at = machine.globals[id.index()] + relocation.offset;
                    machine.write(at, &value.to_le_bytes());
                }
            }
        }
        machine
    }

    fn allocate(&mut self, size: u64, align: u32) -> u64 {
        let address = self.top.next_multiple_of(u64::from(align.max(16)));
        self.top = address + size.max(1);
        assert!((self.top - BASE) < SIZE as u64, "out of memory");
        address
    }

    fn address(&self, symbol: Symbol, offset: i64) -> u64 {
        let base = match symbol {
            Symbol::Function(id) => function_address(id),
            Symbol::Global(id) => self.globals[id.index()],
        };
        base.wrapping_add_signed(offset)
    }

    fn read(&self, address: u64, length: usize) -> &[u8] {
        let start = (address - BASE) as usize;
        &self.memory[start..start + length]
    }

    fn write(&mut self, address: u64, bytes: &[u8]) {
        let start = (address - BASE) as usize;
        self.memory[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn constant(&self, value: &ConstantValue) -> u128 {
        match value {
            ConstantValue::Word(word) => u128::from(*word),
            ConstantValue::Words(words) => {
                words.iter().rev().fold(0, |sum, &word| sum << 64 | u128::from(word))
            }
            ConstantValue::Address { symbol, offset } => u128::from(self.address(*symbol, *offset)),
            ConstantValue::Undefined => 0,
        }
    }

    pub fn call(&mut self, id: FunctionId, arguments: &[u128]) -> Result<Vec<u128>, Stopped> {
        let function = &self.program.functions[id];
        let Some(body) = &function.body else {
            return Ok(self.external(&function.name, arguments));
        };
        // The optimiser merges fields into integers that are wider than the host's.
        if body.registers.values().any(|ty| ty.bits() > 128) {
            return Err(Stopped);
        }
        let saved = self.top;
        let mut frame = vec![0u128; body.registers.len()];
        let mut block = &body.blocks[umbra_ir::BlockId::from_index(0)];
        for (&register, &argument) in block.parameters.iter().zip(arguments) {
            frame[register.index()] = mask(argument, body.registers[register].bits());
        }
        loop {
            self.steps += 1;
            if self.steps > 20_000_000 {
                return Err(Stopped);
            }
            for instruction in &block.instructions {
                let types = |register: RegisterId| body.registers[register];
                self.execute(&instruction.operation, &mut frame, &types)?;
            }
            let edge: &Edge = match &block.terminator {
                Terminator::Jump(edge) => edge,
                Terminator::Branch { condition, then, otherwise } => {
                    if self.operand(&frame, *condition) == 1 { then } else { otherwise }
                }
                // A program that has one version is the new one.
                Terminator::Version { new, .. } => new,
                Terminator::Switch { value, cases, default } => {
                    let value = self.operand(&frame, *value);
                    let matching = cases.iter().find(|(case, _)| {
                        self.constant(&self.program.constants[*case].value) == value
                    });
                    matching.map_or(default, |(_, edge)| edge)
                }
                Terminator::Return(results) => {
                    self.top = saved;
                    return Ok(results
                        .iter()
                        .map(|&result| self.operand(&frame, result))
                        .collect());
                }
                Terminator::Unreachable => panic!("unreachable code in {}", function.name),
                // The optimiser makes vectors where the source has none.
                Terminator::Unsupported(reason) if reason.starts_with("vector") => {
                    return Err(Stopped);
                }
                Terminator::Unsupported(reason) => panic!("{reason}"),
            };
            let values: Vec<u128> =
                edge.arguments.iter().map(|&a| self.operand(&frame, a)).collect();
            block = &body.blocks[edge.block];
            for (register, value) in block.parameters.iter().zip(values) {
                frame[register.index()] = value;
            }
        }
    }

    fn operand(&self, frame: &[u128], operand: Operand) -> u128 {
        match operand {
            Operand::Register(register) => frame[register.index()],
            Operand::Constant(id) => self.constant(&self.program.constants[id].value),
        }
    }

    fn execute(
        &mut self,
        operation: &Operation,
        frame: &mut [u128],
        types: &dyn Fn(RegisterId) -> Type,
    ) -> Result<(), Stopped> {
        let program = self.program;
        let type_of = |operand: Operand| match operand {
            Operand::Register(register) => types(register),
            Operand::Constant(id) => program.constants[id].ty,
        };
        let result = match operation {
            Operation::Binary { destination, op, left, right } => {
                let bits = types(*destination).bits();
                let (a, b) = (self.operand(frame, *left), self.operand(frame, *right));
                mask(binary(*op, a, b, bits), bits)
            }
            Operation::Compare { predicate, left, right, .. } => {
                let bits = type_of(*left).bits();
                let (a, b) = (self.operand(frame, *left), self.operand(frame, *right));
                u128::from(compare(*predicate, a, b, bits))
            }
            Operation::FloatBinary { destination, op, left, right } => {
                let ty = types(*destination);
                let (a, b) = (self.operand(frame, *left), self.operand(frame, *right));
                let (a, b) = (float(ty, a), float(ty, b));
                let value = match op {
                    FloatOp::Add => a + b,
                    FloatOp::Sub => a - b,
                    FloatOp::Mul => a * b,
                    FloatOp::Div => a / b,
                    FloatOp::Rem => a % b,
                };
                from_float(ty, value)
            }
            Operation::FloatNegate { destination, operand } => {
                self.operand(frame, *operand) ^ 1 << (types(*destination).bits() - 1)
            }
            Operation::FloatCompare { predicate, left, right, .. } => {
                let ty = type_of(*left);
                let (a, b) = (self.operand(frame, *left), self.operand(frame, *right));
                u128::from(float_compare(*predicate, float(ty, a), float(ty, b)))
            }
            Operation::Cast { destination, op, operand } => {
                let (from, to) = (type_of(*operand), types(*destination));
                cast(*op, self.operand(frame, *operand), from, to)
            }
            Operation::Select { condition, left, right, .. } => {
                let choice = if self.operand(frame, *condition) == 1 { left } else { right };
                self.operand(frame, *choice)
            }
            Operation::Copy { operand, .. } | Operation::Change { new: operand, .. } => {
                self.operand(frame, *operand)
            }
            Operation::Offset { base, constant, indices, .. } => {
                let mut address = self.operand(frame, *base) as u64;
                address = address.wrapping_add_signed(*constant);
                for scaled in indices {
                    let bits = type_of(scaled.index).bits();
                    let index = signed(self.operand(frame, scaled.index), bits) as i64;
                    address = address.wrapping_add_signed(index.wrapping_mul(scaled.scale));
                }
                u128::from(address)
            }
            Operation::Load { destination, address } => {
                let ty = types(*destination);
                let address = self.operand(frame, *address) as u64;
                let bytes = self.read(address, ty.store_bytes() as usize);
                let value =
                    bytes.iter().rev().fold(0u128, |sum, &byte| sum << 8 | u128::from(byte));
                mask(value, ty.bits())
            }
            Operation::Store { value, address } => {
                let length = type_of(*value).store_bytes() as usize;
                let bytes = self.operand(frame, *value).to_le_bytes();
                let address = self.operand(frame, *address) as u64;
                self.write(address, &bytes[..length]);
                return Ok(());
            }
            Operation::Alloca { size, count, align, .. } => {
                let count = count.map_or(1, |count| self.operand(frame, count) as u64);
                u128::from(self.allocate(size * count, *align))
            }
            Operation::Call { destinations, callee, arguments } => {
                let mut values = Vec::new();
                let saved = self.top;
                for argument in arguments {
                    let mut value = self.operand(frame, argument.operand);
                    if let Some(by_value) = argument.by_value {
                        let copy = self.allocate(by_value.size, by_value.align);
                        let bytes = self.read(value as u64, by_value.size as usize).to_vec();
                        self.write(copy, &bytes);
                        value = u128::from(copy);
                    }
                    values.push(value);
                }
                let function = match callee {
                    Callee::Direct(function) => *function,
                    Callee::Indirect(operand) => {
                        let address = self.operand(frame, *operand) as u64;
                        FunctionId::from_index(((address - 0x1000) / 16) as usize)
                    }
                };
                let results = self.call(function, &values)?;
                self.top = saved;
                for (register, value) in destinations.iter().zip(results) {
                    frame[register.index()] = value;
                }
                return Ok(());
            }
            Operation::Intrinsic { destinations, intrinsic, arguments } => {
                let values: Vec<u128> = arguments.iter().map(|&a| self.operand(frame, a)).collect();
                let ty = arguments.first().map(|&argument| type_of(argument));
                let results = self.intrinsic(*intrinsic, &values, ty);
                for (register, value) in destinations.iter().zip(results) {
                    frame[register.index()] = mask(value, types(*register).bits());
                }
                return Ok(());
            }
        };
        frame[operation.destinations()[0].index()] = result;
        Ok(())
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, a: &[u128], ty: Option<Type>) -> Vec<u128> {
        use Intrinsic as I;
        let bits = ty.map_or(0, Type::bits);
        let checked = |value: Option<i128>| {
            let fits = value.is_some_and(|value| signed(mask(value as u128, bits), bits) == value);
            vec![value.unwrap_or(0) as u128, u128::from(!fits)]
        };
        let checked_unsigned = |value: Option<u128>| {
            let fits = value.is_some_and(|value| mask(value, bits) == value);
            vec![value.unwrap_or(0), u128::from(!fits)]
        };
        let s = |index: usize| signed(a[index], bits);
        match intrinsic {
            I::MemoryCopy | I::MemoryMove => {
                let bytes = self.read(a[1] as u64, a[2] as usize).to_vec();
                self.write(a[0] as u64, &bytes);
                vec![]
            }
            I::MemorySet => {
                self.write(a[0] as u64, &vec![a[1] as u8; a[2] as usize]);
                vec![]
            }
            I::LifetimeStart | I::LifetimeEnd | I::Synchronize | I::Volatile => vec![],
            I::StackSave => vec![u128::from(self.top)],
            I::StackRestore => {
                self.top = a[0] as u64;
                vec![]
            }
            I::SAddOverflow => checked(s(0).checked_add(s(1))),
            I::SSubOverflow => checked(s(0).checked_sub(s(1))),
            I::SMulOverflow => checked(s(0).checked_mul(s(1))),
            I::UAddOverflow => checked_unsigned(a[0].checked_add(a[1])),
            I::USubOverflow => vec![a[0].wrapping_sub(a[1]), u128::from(a[0] < a[1])],
            I::UMulOverflow => checked_unsigned(a[0].checked_mul(a[1])),
            I::USubSaturate => vec![a[0].saturating_sub(a[1])],
            I::UAddSaturate => vec![(a[0] + a[1]).min(mask(u128::MAX, bits))],
            I::Abs => vec![s(0).wrapping_abs() as u128],
            I::SMax => vec![s(0).max(s(1)) as u128],
            I::SMin => vec![s(0).min(s(1)) as u128],
            I::UMax => vec![a[0].max(a[1])],
            I::UMin => vec![a[0].min(a[1])],
            I::PopCount => vec![u128::from(a[0].count_ones())],
            I::LeadingZeros => vec![u128::from(a[0].leading_zeros() - (128 - bits))],
            I::TrailingZeros => vec![u128::from(a[0].trailing_zeros().min(bits))],
            I::ByteSwap => vec![a[0].swap_bytes() >> (128 - bits)],
            I::FunnelShiftLeft => {
                let amount = (a[2] % u128::from(bits)) as u32;
                vec![if amount == 0 { a[0] } else { a[0] << amount | a[1] >> (bits - amount) }]
            }
            I::FunnelShiftRight => {
                let amount = (a[2] % u128::from(bits)) as u32;
                vec![if amount == 0 { a[1] } else { a[0] << (bits - amount) | a[1] >> amount }]
            }
            I::FloatAbs => vec![a[0] & !(1 << (bits - 1))],
            other => panic!("{other} is not in the reference"),
        }
    }

    /// The few functions of libc that the programs call.
    fn external(&mut self, name: &str, a: &[u128]) -> Vec<u128> {
        match name {
            "printf" => {
                let text = self.format(a);
                self.output += &text;
                vec![text.len() as u128]
            }
            "puts" => {
                let text = self.string(a[0] as u64);
                self.output += &text;
                self.output.push('\n');
                vec![0]
            }
            "putchar" => {
                self.output.push(a[0] as u8 as char);
                vec![a[0]]
            }
            "strcmp" => vec![u128::from(self.string(a[0] as u64) != self.string(a[1] as u64))],
            other => panic!("{other} is not in the reference"),
        }
    }

    fn string(&self, address: u64) -> String {
        let rest = &self.memory[(address - BASE) as usize..];
        let end = rest.iter().position(|&byte| byte == 0).unwrap();
        String::from_utf8(rest[..end].to_vec()).unwrap()
    }

    fn format(&self, a: &[u128]) -> String {
        let format = self.string(a[0] as u64);
        let mut values = a[1..].iter().copied();
        let mut text = String::new();
        let mut rest = format.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            let mut long = false;
            loop {
                let conversion = rest.next().unwrap();
                if conversion == 'l' {
                    long = true;
                    continue;
                }
                let bits = if long { 64 } else { 32 };
                match conversion {
                    '%' => text.push('%'),
                    'd' => text += &signed(values.next().unwrap(), bits).to_string(),
                    'u' => text += &mask(values.next().unwrap(), bits).to_string(),
                    'x' => text += &format!("{:x}", mask(values.next().unwrap(), bits)),
                    'X' => text += &format!("{:X}", mask(values.next().unwrap(), bits)),
                    's' => text += &self.string(values.next().unwrap() as u64),
                    other => panic!("%{other} is not in the reference"),
                }
                break;
            }
        }
        text
    }
}

fn binary(op: BinaryOp, a: u128, b: u128, bits: u32) -> u128 {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let shift = |value: u128| (value % u128::from(bits.next_power_of_two())) as u32;
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a / b,
        BinaryOp::SDiv => sa.wrapping_div(sb) as u128,
        BinaryOp::URem => a % b,
        BinaryOp::SRem => sa.wrapping_rem(sb) as u128,
        BinaryOp::Shl => a.checked_shl(shift(b)).unwrap_or(0),
        BinaryOp::LShr => a.checked_shr(shift(b)).unwrap_or(0),
        BinaryOp::AShr => (sa >> shift(b).min(127)) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    }
}

fn compare(predicate: Predicate, a: u128, b: u128, bits: u32) -> bool {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Sgt => sa > sb,
        Predicate::Sge => sa >= sb,
        Predicate::Slt => sa < sb,
        Predicate::Sle => sa <= sb,
    }
}

fn float_compare(predicate: FloatPredicate, a: f64, b: f64) -> bool {
    use FloatPredicate as P;
    let unordered = a.is_nan() || b.is_nan();
    match predicate {
        P::False => false,
        P::True => true,
        P::Ord => !unordered,
        P::Uno => unordered,
        P::Oeq => a == b,
        P::Ogt => a > b,
        P::Oge => a >= b,
        P::Olt => a < b,
        P::Ole => a <= b,
        P::One => !unordered && a != b,
        P::Ueq => unordered || a == b,
        P::Ugt => unordered || a > b,
        P::Uge => unordered || a >= b,
        P::Ult => unordered || a < b,
        P::Ule => unordered || a <= b,
        P::Une => a != b,
    }
}

/// Single and double; one operation on singles, done in doubles, rounds to the same.
fn float(ty: Type, bits: u128) -> f64 {
    match ty {
        Type::Float(FloatKind::Single) => f64::from(f32::from_bits(bits as u32)),
        Type::Float(FloatKind::Double) => f64::from_bits(bits as u64),
        _ => panic!("{ty} is not in the reference"),
    }
}

fn from_float(ty: Type, value: f64) -> u128 {
    match ty {
        Type::Float(FloatKind::Single) => u128::from((value as f32).to_bits()),
        Type::Float(FloatKind::Double) => u128::from(value.to_bits()),
        _ => panic!("{ty} is not in the reference"),
    }
}

fn cast(op: CastOp, value: u128, from: Type, to: Type) -> u128 {
    let result = match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::Bitcast => value,
        CastOp::SExt => signed(value, from.bits()) as u128,
        CastOp::FpToUi => float(from, value) as u128,
        CastOp::FpToSi => float(from, value) as i128 as u128,
        CastOp::UiToFp if to.bits() == 32 => u128::from((value as f32).to_bits()),
        CastOp::UiToFp => from_float(to, value as f64),
        CastOp::SiToFp if to.bits() == 32 => {
            u128::from((signed(value, from.bits()) as f32).to_bits())
        }
        CastOp::SiToFp => from_float(to, signed(value, from.bits()) as f64),
        CastOp::FpExt | CastOp::FpTrunc => from_float(to, float(from, value)),
    };
    mask(result, to.bits())
}
