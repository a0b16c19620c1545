import{a,b}from"./part-KHNCUQ4O.js";import"./part-PASAB3FY.js";import"./part-LVE3R7SO.js";import"./part-X3L3FIE6.js";import"./part-GGBQFXN7.js";export{b as SignInCard,a as default};
